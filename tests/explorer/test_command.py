"""The command explore: it serves the page until it is interrupted, and refuses a port that is taken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request

import pytest
from cases import command
from robustness.signals import alive, wait_until_gone

pytest.importorskip("panel")

from bokeh.server.server import Server

COMMAND = [sys.executable, "-m", "ndcg_asymptotics", "explore", "--no-browser"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # tornado does not close the socket of a taken port
def test_the_page_is_served_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Server, "start")  # in this process: nothing but the port is asked for
    served = subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert served.stdout is not None
        first = served.stdout.readline()
        address = next(word for word in first.split() if word.startswith("http://127.0.0.1:"))
        with urllib.request.urlopen(address, timeout=60) as page:
            assert "<title>NDCG explorer</title>" in page.read().decode()
        assert [*alive().values()].count(served.pid) > 1  # with its workers
        port = address.strip("/").rpartition(":")[2]
        status, out, err = command("explore", "--no-browser", "--port", port)
        assert (status, out) == (2, "")
        assert f"--port: {port} cannot be listened on" in err
        assert len(err.splitlines()) == 1
        os.kill(served.pid, signal.SIGINT)
        _, err = served.communicate(timeout=30)
        assert served.returncode == 0
        assert "Traceback" not in err
        wait_until_gone(served.pid)
    finally:
        served.kill()
