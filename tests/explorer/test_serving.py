"""The server of the explorer answers its own page only: no module is imported, no other site is served."""

from __future__ import annotations

import asyncio
import html
import http.client
from collections.abc import Iterator
from itertools import product
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


def test_no_module_that_an_address_names_is_imported(address, tmp_path: Path, monkeypatch) -> None:
    written = tmp_path / "written"
    (tmp_path / "planted.py").write_text(f"open({str(written)!r}, 'w').close()")
    monkeypatch.syspath_prepend(tmp_path)
    for host in ("evil.example", "127.0.0.1"):
        assert answered(address, "/components/planted/a/_css/x", Host=host).status == 404
    assert not written.exists()


def requests(address: str) -> Iterator[tuple[str, dict[str, str], bool]]:
    """Yield paths, headers of a request, and whether it is answered."""
    own = urlsplit(address).netloc
    local = own.replace("127.0.0.1", "localhost")
    for path in ("/?n=1000", "/static/js/bokeh.min.js", "/favicon.ico"):
        yield path, {}, True
        yield path, {"Host": local, "Origin": f"http://{local}"}, True
        yield path, {"Host": "evil.example"}, False
        yield path, {"Host": own, "Origin": "http://evil.example"}, False
    # visitors open the page by its address and by links
    followed = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1"}
    for site in ("none", "same-origin", "cross-site"):
        yield "/", {"Sec-Fetch-Site": site, **followed}, True
    # a script, frame or image of another site, or of another port of this machine, gets no answer
    for path, site in product(("/", "/static/js/bokeh.min.js"), ("cross-site", "same-site")):
        for headers in (
            {},
            {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"},
            {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
            {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe", "Sec-Fetch-User": "?1"},
        ):
            yield path, {"Sec-Fetch-Site": site, **headers}, False
    for path in ("/docs/theory.md", "/metadata", "/autoload.js?bokeh-autoload-element=1", "/components/"):
        yield path, {}, False
    for path in ("//", "/x", "/static/%00", "/static/%00.js", "/static/extensions/panel/%00", "/%00"):
        yield path, {}, False
    for field in ("n", "share", "bokeh-session-id", "unknown"):
        yield f"/?{field}=" + "9" * 60_000, {}, False


@pytest.mark.slow
def test_the_page_and_its_files_are_served_to_this_machine_and_nothing_else_is(served, address) -> None:
    """What is refused starts no session, and no answer is shown inside another page."""
    for path, headers, is_answered in requests(address):
        before = served.get_sessions("/")
        answer = answered(address, path, **headers)
        assert answer.status == (200 if is_answered else 404), (path[:80], headers)
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'", path[:80]
        assert is_answered or served.get_sessions("/") == before


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
    assert answered(address, f"/?{query}").status == 200
    (session,) = (found for found in served.get_sessions("/") if found not in before)
    (notice,) = (p for p in session.document.select({"type": HTML}) if "<p role='alert'>" in unescaped(p))
    assert said in unescaped(notice)
    assert notice.visible == bool(said)
    assert state.query in [field.value for field in session.document.select({"type": TextInput})]


def unescaped(pane: HTML) -> str:
    return html.unescape(html.unescape(pane.text))
