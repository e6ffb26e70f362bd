"""``course lab``: JupyterLab on this machine only, open at the first chapter."""

import os
import secrets
from urllib.parse import quote

from course_lib import workspace
from course_lib.workspace import CourseError


def add_arguments(parser):
    """The options of ``course lab``."""
    parser.add_argument("--no-browser", action="store_true", help="print the address and open no browser")
    parser.add_argument("--port", type=int, default=8888, help="the first port to try (default: %(default)s)")


def run(options):
    """Fill the work folder, start JupyterLab, and stay until it ends."""
    for note in workspace.fill():
        print(note)
    work = workspace.work_folder()
    root, page = where_to_open(work, workspace.COURSE)
    # An environment's kernel comes before one of the same name that the reader installed for another project.
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    # A relative path would mean another folder to each kernel.
    os.environ["COURSE_WORK"] = str(work)
    serve(settings(root, page, secrets.token_hex(24), options.port, options.no_browser))
    return 0


def where_to_open(work, course):
    """The folder that JupyterLab shows, and the page to open in it: the first chapter, where there is one.

    A work folder elsewhere is shown alone, for the folder around it may be somebody's whole home.
    """
    root = course if course in work.parents else work
    # By the stem, for there a notebook comes before "... (new edition)".
    first = min((work / "notebooks").glob("*.ipynb"), key=lambda path: path.stem, default=None)
    return root, "/lab" if first is None else "/lab/tree/" + quote(first.relative_to(root).as_posix())


def settings(root, page, token, port, no_browser):
    """JupyterLab's command line. It outranks the reader's own Jupyter settings and changes none of them."""
    words = [
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url={page}",
        f"--IdentityProvider.token={token}",
        # Errors only: the address is printed here, alone.
        "--Application.log_level=ERROR",
        # Ctrl-C ends it and asks nothing.
        "--ServerApp.answer_yes=True",
        # No call to a server elsewhere.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    words += ["--ServerApp.open_browser=False"] * no_browser
    # JupyterLab refuses to run as root, as one is in a container, unless told.
    return words + ["--allow-root"] * (hasattr(os, "geteuid") and os.geteuid() == 0)


def serve(words):
    """Run JupyterLab in this process until it is stopped."""
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        raise CourseError(f"JupyterLab does not start ({error}). Run python3 start.py to install it.") from error
    server = LabApp.initialize_server(argv=words)
    server.web_app.settings["page_config_hook"] = without_news
    # The loop binds the port before it comes to this, so that the address holds when it is read.
    server.io_loop.add_callback(announce, server)
    server.start()


def without_news(handler, page_config):
    """Leave out the part of JupyterLab that asks about news; the address of the news alone does not stop it."""
    disabled = page_config.get("disabledExtensions", [])
    return page_config | {"disabledExtensions": [*disabled, "@jupyterlab/apputils-extension:announcements"]}


def announce(server):
    """Print the address."""
    address = server.connection_url.rstrip("/") + server.default_url + "?token=" + server.identity_provider.token
    print(f"The course is open at\n    {address}\nCtrl-C here ends it.", flush=True)
