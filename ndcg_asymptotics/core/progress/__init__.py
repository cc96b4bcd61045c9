"""Work that takes a while says how far it is (`work`); who listens is decided outside (`listeners`).

    for cell in tracked(cells, "exact means"):
        ...
    with task("replicates", total=1000) as replicates:
        replicates.advance(50, "block 0-49")
    say("a worker was lost")

A command has bars on a terminal and lines in a log, a notebook has bars, a program hears nothing unless
it asks: ``with listening(for_stderr()): ...``.
"""

from ndcg_asymptotics.core.progress.work import Listener, Task, listening, say, task, tracked

__all__ = ["Listener", "Task", "listening", "say", "task", "tracked"]
