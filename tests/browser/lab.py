"""Starts JupyterLab with folders of its own, opens a notebook in a browser and runs it."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "JUPYTERLAB_SETTINGS_DIR": "settings",
    "IPYTHONDIR": "ipython",
    "COURSE_WORK": "work",
}
# The pop-up that asks about news would lie over the notebook.
QUIET = {"notification": {"fetchNews": "false", "checkForUpdates": False}}
START_SECONDS = 60
# Notebooks of chapters may train: their own limit is a minute.
RUN_SECONDS = 120
TRIES = 3

# Opens a notebook beside nothing, as a learner does from the list of files, and puts away the one that was open.
OPEN = """async (path) => {
  const [app, old] = [window.jupyterapp, window.jupyterapp.shell.currentWidget];
  const panel = await app.commands.execute("docmanager:open", { path });
  await panel.revealed;
  if (old && old !== panel) old.dispose();
  app.shell.activateById(panel.id);
}"""
SHUT = "() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()"
CURRENT = "(path) => window.jupyterapp.shell.currentWidget?.context?.path === path"

# data-status="idle" on the page is not enough: a run that starts before the kernel is connected can wait for ever.
READY = """() => {
  const kernel = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel;
  return kernel?.status === "idle" && kernel.connectionStatus === "connected";
}"""
RUN = """(limit) => Promise.race([
  window.jupyterapp.commands.execute("notebook:run-all-cells").then(() => true),
  new Promise((resolve) => setTimeout(() => resolve(false), limit)),
])"""
CONTENT = "() => window.jupyterapp.shell.currentWidget.context.model.toJSON()"
EXECUTE = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, store_history: false });
  let text = "";
  future.onIOPub = ({ content }) => { text += content.text ?? (content.traceback ?? []).join("\\n"); };
  await future.done;
  return text;
}"""


class Lab:
    """A JupyterLab server on a free loopback port; use it in a with statement."""

    def __init__(self, folder):
        self.root = folder / "root"
        self.token = secrets.token_hex(16)
        self.environment = {**os.environ, **{name: str(folder / place) for name, place in FOLDERS.items()}}
        self.log = folder / "lab.log"
        self.page = None
        self.root.mkdir()
        settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        for name, content in QUIET.items():
            (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(content), encoding="utf-8")

    def __enter__(self):
        self.port = free_port()
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                self._command(), env=self.environment, cwd=self.root, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        try:
            self._wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _command(self):
        options = [
            "--no-browser", "--ip=127.0.0.1", f"--port={self.port}", "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.root}", "--expose-app-in-browser",
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--allow-root")
        return [sys.executable, "-m", "jupyterlab", *options]

    def _wait(self):
        address = f"http://127.0.0.1:{self.port}/api/status?token={self.token}"
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(address, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.2)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()}")

    def run(self, browser, notebook, viewport=None):
        """A page on which a notebook, given by its place under the root, was opened and ran to its end.

        The page that `put_away` left is used again: to load JupyterLab takes longer than most notebooks run.
        """
        for _ in range(TRIES):
            page = self._open(browser, notebook)
            page.set_viewport_size(viewport or {"width": 1280, "height": 720})
            page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
            page.wait_for_function(READY)
            # A run that never ends is a known fault of JupyterLab, seen in a few of a hundred: a new page mends it.
            if page.evaluate(RUN, RUN_SECONDS * 1000) and not unrun(page):
                return page
            page.evaluate(SHUT)
            page.close()
        raise AssertionError(f"{notebook} did not run to its end in {TRIES} tries:\n{self.log.read_text()[-3000:]}")

    def _open(self, browser, notebook):
        """A page that shows a notebook."""
        page, self.page = self.page, None
        if page is None:
            page = browser.new_page()
            page.set_default_timeout(60_000)
            page.goto(f"http://127.0.0.1:{self.port}/lab/tree/{notebook}?token={self.token}&reset")
        else:
            page.evaluate(OPEN, notebook)
            page.wait_for_function(CURRENT, arg=notebook)
        return page

    def put_away(self, page):
        """Ends the kernel of the open notebook, which would go on without its page, and keeps the page for the next."""
        page.evaluate(SHUT)
        page.mouse.move(0, 0)
        self.page = page


def free_port():
    """A port that nothing uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def code_cells(page):
    """The code cells of the open notebook, with their outputs."""
    return [cell for cell in page.evaluate(CONTENT)["cells"] if cell["cell_type"] == "code" and cell["source"]]


def unrun(page):
    """The code cells that were not executed."""
    return [cell["source"] for cell in code_cells(page) if cell["execution_count"] is None]


def errors(page):
    """The errors that the notebook shows, as text."""
    outputs = [output for cell in code_cells(page) for output in cell["outputs"]]
    return [f"{output['ename']}: {output['evalue']}" for output in outputs if output["output_type"] == "error"]


def execute(page, code):
    """What a piece of code prints in the kernel of the open notebook."""
    return page.evaluate(EXECUTE, code)


def use_theme(page, theme):
    """Changes to a theme, "JupyterLab Light" or "JupyterLab Dark", and waits until it is there."""
    page.evaluate("(theme) => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")
