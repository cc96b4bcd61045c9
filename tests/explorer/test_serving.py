"""The server of the explorer answers its own page only: no module is imported, no other site is served."""

from __future__ import annotations

import asyncio
import html
import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("panel")

from bokeh.models import TextInput
from browser import explorer_server
from panel.models.markup import HTML
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from ndcg_asymptotics.explorer.state import State

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def served():
    with explorer_server() as found:
        yield found


@pytest.fixture(scope="module")
def address(served) -> str:
    return f"http://127.0.0.1:{served.port}/"


def answered(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def status(address: str, path: str, **headers: str) -> int:
    return answered(address, path, **headers).status


def test_no_module_that_an_address_names_is_imported(address, tmp_path: Path, monkeypatch) -> None:
    written = tmp_path / "written"
    (tmp_path / "planted.py").write_text(f"open({str(written)!r}, 'w').close()")
    monkeypatch.syspath_prepend(tmp_path)
    for host in ("evil.example", "127.0.0.1"):
        assert status(address, "/components/planted/a/_css/x", Host=host) == 404
    assert not written.exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/?n=1000", "/static/js/bokeh.min.js", "/favicon.ico"])
def test_the_page_and_its_files_are_for_this_machine_only(address, path: str) -> None:
    own = urlsplit(address).netloc
    local = own.replace("127.0.0.1", "localhost")
    assert status(address, path) == 200
    assert status(address, path, Host=local, Origin=f"http://{local}") == 200
    assert status(address, path, Host="evil.example") == 404
    assert status(address, path, Host=own, Origin="http://evil.example") == 404


@pytest.mark.parametrize("path", ["/", "/static/js/bokeh.min.js"])
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_starts_no_session(served, address, path: str, site: str) -> None:
    """A script, frame or image of another site, or of another port of this machine, gets no answer."""
    before = served.get_sessions("/")
    for headers in (
        {},
        {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe", "Sec-Fetch-User": "?1"},
    ):
        assert status(address, path, **{"Sec-Fetch-Site": site}, **headers) == 404
    assert served.get_sessions("/") == before


@pytest.mark.slow
def test_visitors_open_the_page_by_its_address_and_by_links(address) -> None:
    followed = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1"}
    for site in ("none", "same-origin", "cross-site"):
        assert status(address, "/", **{"Sec-Fetch-Site": site}, **followed) == 200


@pytest.mark.parametrize("path", ["/static/js/bokeh.min.js", "/nothing", "/static/%00"])
def test_no_answer_is_shown_inside_another_page(address, path: str) -> None:
    assert answered(address, path).headers["Content-Security-Policy"] == "frame-ancestors 'none'"


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/docs/theory.md",
            "/metadata",
            "/autoload.js?bokeh-autoload-element=1",
            "/components/",
            "//",
            "/x",
        ),
        *("/static/%00", "/static/%00.js", "/static/extensions/panel/%00", "/%00"),
    ],
)
def test_nothing_else_is_served_and_null_bytes_are_refused(address, path: str) -> None:
    assert status(address, path) == 404


def websocket(address: str, **headers: str) -> int:
    """The status of a refused websocket."""

    async def connect() -> int:
        url = f"ws://{urlsplit(address).netloc}/ws"
        with pytest.raises(HTTPClientError) as refused:
            await websocket_connect(HTTPRequest(url, headers=headers))
        return refused.value.code

    return asyncio.run(connect())


def test_the_websocket_refuses_other_sites(address) -> None:
    own = address.rstrip("/")
    assert websocket(address, Origin="http://evil.example") == 404
    assert websocket(address, Origin=own, Host="evil.example") == 404


@pytest.mark.slow
@pytest.mark.parametrize("field", ["n", "share", "bokeh-session-id", "unknown"])
def test_a_long_query_is_refused(address, field: str) -> None:
    assert status(address, f"/?{field}=" + "9" * 60_000) == 404


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "state", "said"),
    [
        ("n=2000&a=linear(0.09,0.51)", State.from_query("n=2000&a=linear(0.09,0.51)"), ""),
        ("step=1", State(), "the address has no field 'step'"),
        ("a=empirical(%22/etc/passwd%22)", State(), "the explorer has the curves linear"),
    ],
    ids=["a state", "no field", "no state"],
)
def test_the_page_shows_the_state_of_its_address(
    served, address, query: str, state: State, said: str
) -> None:
    """What is none is said, and the state at the start is shown."""
    before = served.get_sessions("/")
    assert status(address, f"/?{query}") == 200
    (session,) = (found for found in served.get_sessions("/") if found not in before)
    (notice,) = (p for p in session.document.select({"type": HTML}) if "<p role='alert'>" in unescaped(p))
    assert said in unescaped(notice)
    assert notice.visible == bool(said)
    assert state.query in [field.value for field in session.document.select({"type": TextInput})]


def unescaped(pane: HTML) -> str:
    return html.unescape(html.unescape(pane.text))
