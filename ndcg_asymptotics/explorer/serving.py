"""The explorer on a page of this machine."""

from __future__ import annotations

import html
import inspect
import logging
import re
import webbrowser
from traceback import walk_tb
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import panel as pn
from bokeh.server.connection import ServerConnection
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import OutputTransform
from tornado.websocket import WebSocketClosedError

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.explorer.controls import ERROR
from ndcg_asymptotics.explorer.page import Page
from ndcg_asymptotics.explorer.state import LONGEST_QUERY, State
from ndcg_asymptotics.explorer.workers import Submit

if TYPE_CHECKING:
    from bokeh.server.server import Server

ADDRESS = "127.0.0.1"
"""The only address that is listened on."""

# the page, its websocket and its files; Panel would also import any module that an address names
_SERVED = re.compile(r"/|/ws|/favicon\.ico|/static/(?!.*%00).+")
# what is on its way to a page when its tab is closed is no error
_CLOSED = "connection was closed"
_LOGGERS = (
    "asyncio",
    "bokeh.server.protocol_handler",
    "bokeh.server.views.ws",
    "panel.io.document",
    "tornado.application",
)
# sliders have no names of their own: those of their labels
_TEMPLATE = """
{% block postamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
<script>
(() => {
  const attach = Element.prototype.attachShadow;
  const words = node => node?.shadowRoot ? node.shadowRoot.textContent : node?.textContent ?? "";
  const label = inside => {
    for (let root = inside.getRootNode(); root.host; root = root.host.getRootNode()) {
      const own = root.querySelector("label, .bk-slider-title");
      const said = own?.textContent || words(root.host.previousElementSibling);
      if (said.trim()) return said.replace(/:\\s*(\\S*\\d\\S*)?\\s*$/, "").trim();  // no value
    }
    return "";
  };
  const name = root => {
    for (const e of root.querySelectorAll("[role=slider]")) {
      if (e.hasAttribute("aria-label")) continue;
      const said = label(e);
      if (said) e.setAttribute("aria-label", said);
    }
  };
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    new MutationObserver(() => setTimeout(name, 200, root)).observe(root, { childList: true, subtree: true });
    return root;
  };
})();
</script>
{% endblock %}
{% block contents %}<main>{{ super() }}</main>{% endblock %}
"""


def _session(submit: Submit) -> pn.viewable.Viewable:
    """Return the page of one visitor, whose values are computed by ``submit``."""
    arguments = pn.state.session_args or {}
    fields = {key: values[0].decode("utf-8", "replace") for key, values in arguments.items()}
    pn.state.curdoc.template = _TEMPLATE
    refused = ""
    try:
        state = State.from_fields(fields)
        assert state.scorers
    except InputError as error:
        refused, state = str(error), State()
    page = Page(state, submit, pn.state.curdoc)
    pn.state.onload(page.answer)
    notice = f"<p role='alert'>{html.escape(refused)}</p>"
    return pn.Column(
        pn.pane.HTML(notice, visible=bool(refused), styles=ERROR), page.view(), sizing_mode="stretch_width"
    )


def server(port: int, submit: Submit) -> Server:
    """Return a Bokeh server that listens on 127.0.0.1 and is not yet started.

    Parameters
    ----------
    port : int
    submit : callable
        What submits computations (`workers.worker`).

    Raises
    ------
    InputError
        If the port is taken.
    """
    pn.extension(raw_css=["body { margin: 0; padding: 2px 8px; }"])
    try:
        bokeh_server = pn.io.server.get_server(
            lambda: _session(submit),
            address=ADDRESS,
            port=port,
            title="NDCG explorer",
            show=False,
            start=False,
        )
    except OSError as error:
        raise InputError(f"{port} cannot be listened on: {error.strerror}", "port") from None
    application = bokeh_server._tornado
    application.default_router.rules = [Rule(_FromThePage(), application.wildcard_router)]
    application.add_transform(_NotFramed)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_of_an_open_page)
    return bokeh_server


class _NotFramed(OutputTransform):
    """Forbids browsers to show an answer inside the page of another site."""

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        """Add the header to an answer."""
        headers["Content-Security-Policy"] = "frame-ancestors 'none'"
        return status_code, headers, chunk


def _of_an_open_page(record: logging.LogRecord) -> bool:
    """Return whether a message of the server is about something else than a page that was just closed."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, WebSocketClosedError) or _CLOSED in record.getMessage():
        return False
    raised = [frame for frame, _ in walk_tb(error.__traceback__)] if isinstance(error, AssertionError) else []
    # Bokeh takes for granted that a page is open as long as there is something to read from it
    return not (raised and raised[-1].f_code.co_filename == inspect.getfile(ServerConnection))


class _FromThePage(Matcher):
    """Matches requests that name this machine as their host, and that another site does not send by itself.

    Checking the host keeps a site out whose name its owner later resolves to this machine (DNS rebinding).
    Browsers send no ``Origin`` with a GET request, but say in ``Sec-Fetch-Site`` who sends it. A link on
    another site opens the page when a visitor follows it; no script, frame or image does.
    """

    def match(self, request: HTTPServerRequest) -> dict[str, object] | None:
        """Return no arguments for a request that is answered, None for any other."""
        headers = request.headers
        origin = headers.get("Origin")
        followed = headers.get("Sec-Fetch-User") == "?1" and headers.get("Sec-Fetch-Dest") == "document"
        admissible = (
            request.host_name in (ADDRESS, "localhost")
            and (origin is None or urlsplit(origin).netloc == request.host)
            and (headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin") or followed)
            and _SERVED.fullmatch(request.path) is not None
            and len(request.query) <= LONGEST_QUERY
        )
        return {} if admissible else None


def serve(port: int, browser: bool, submit: Submit) -> None:
    """Serve the explorer on this machine until it is interrupted; see `explorer.explore`."""
    started = server(port, submit)
    address = f"http://{ADDRESS}:{started.port}/"
    print(f"The explorer is at {address} until you press Ctrl-C", flush=True)
    started.start()
    if browser:
        started.io_loop.add_callback(webbrowser.open, address)
    started.io_loop.start()
