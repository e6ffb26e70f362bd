"""Pages that the tests of plain pages share: leading one elsewhere takes a third of the time of opening another."""


class Tabs:
    """Lends pages of a browser; a page's `problems` and `requests` list what it complained of and asked for."""

    def __init__(self, browser):
        self.browser, self.free = browser, []

    def lend(self, viewport=None, color_scheme="light"):
        """A page that no other test holds, as good as new: nothing stored, nothing held by the mouse."""
        tab = self.free.pop() if self.free else self._open()
        tab.set_viewport_size(viewport or {"width": 1280, "height": 720})
        tab.emulate_media(media="screen", color_scheme=color_scheme)
        tab.problems.clear()
        tab.requests.clear()
        return tab

    def take_back(self, tab):
        """Ends what the test left on a page, and keeps the page for the next."""
        tab.evaluate("localStorage.clear()")
        tab.mouse.move(0, 0)
        self.free.append(tab)

    def _open(self):
        """One more page."""
        tab = self.browser.new_page()
        tab.set_default_timeout(10_000)
        tab.problems, tab.requests = [], []
        tab.on("pageerror", lambda error: tab.problems.append(str(error)))
        tab.on("console", lambda message: tab.problems.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda request: tab.requests.append(request.url))
        return tab
