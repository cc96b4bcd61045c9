"""The initialiser of worker processes; it imports next to nothing, so that workers start quickly."""

from __future__ import annotations

import os
import threading
import time

_SECONDS_BETWEEN_CHECKS = 2.0


def end_with_parent(parent: int) -> None:
    """Start a thread that ends this process within two seconds of its parent's death.

    Without it, a worker that computes would finish its block first, and an idle one would wait for the
    next: it holds both ends of the pipe it reads from, so that it never sees its end.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_CHECKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
