"""A hook of mkdocs that adds the reference: a page for each task, and one for every public name of it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mkdocs.structure.files import File, Files

PACKAGE = "ndcg_asymptotics"


@dataclass(frozen=True)
class Task:
    """A page of the reference: what its names are for, and the modules in which they are defined."""

    title: str
    about: str
    modules: tuple[str, ...]
    names: dict[str, Any] = field(default_factory=dict)


# A name belongs to the task with the longest module that holds it; every subpackage is in one of them.
TASKS = {
    "run": Task(
        "Run a study",
        "A study names scorers, measures and list lengths; `run` simulates it into a folder of results.",
        ("studies", "sweep", "results", "core"),
    ),
    "measures": Task(
        "Measures",
        "A measure is NDCG or DCG with a discount and a cutoff, written as in `nDCG(power(0.5))@0.2n`.",
        ("measures", "specs"),
    ),
    "scorers": Task(
        "Scorers",
        "A scorer is a relevance curve or a ROC curve; a coupling makes two of them dependent.",
        ("populations",),
    ),
    "check": Task(
        "Check and distinguish",
        "`check` compares results with theory, `distinguish` counts how often the better scorer is ahead.",
        ("checks", "orders"),
    ),
    "theory": Task(
        "Theory",
        "Limits, exact means, standard deviations and rates, without simulation.",
        ("theory", "engines"),
    ),
    "plan": Task(
        "Plan an experiment",
        "How many queries and documents tell two rankers apart, and by which measure.",
        ("plans",),
    ),
    "lists": Task(
        "Ranked lists",
        "Read runs and judgements, evaluate them, fit relevance curves, and let lists grow.",
        ("lists", "growth"),
    ),
    "compare": Task(
        "Compare runs",
        "Which of two runs or recommenders is better: tests, sampled candidates.",
        ("comparisons", "samples"),
    ),
    "losses": Task(
        "Losses",
        "Surrogate losses for learning to rank: their consistency, their regret, and training.",
        ("learning",),
    ),
    "figures": Task(
        "Figures and reports",
        "Figures of results, comparisons and plans, reports as one page, and all specs.",
        ("plots", "reports", "cli"),
    ),
}
SUBPACKAGES = (
    "studies",
    "measures",
    "populations",
    "sweep",
    "results",
    "theory",
    "checks",
    "orders",
    "comparisons",
    "plans",
    "samples",
    "growth",
    "lists",
    "learning",
    "plots",
    "reports",
    "cli",
)


def on_files(files: Files, config: Any) -> Files:
    """Add a page for each task, and one for each of its names."""
    for key, task in grouped().items():
        files.append(File.generated(config, f"reference/{key}.md", content=_contents_of(task)))
        for name, thing in task.names.items():
            files.append(File.generated(config, f"reference/{_file(name)}", content=_page(name, thing, key)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """List the tasks and their names on the first page of the reference."""
    if page.file.src_uri == "reference/index.md":
        return markdown.replace("<!-- the public names -->", _contents())
    return markdown


def grouped() -> dict[str, Task]:
    """Return the tasks with their names; each public object is there once, under its shortest name."""
    tasks = {key: Task(task.title, task.about, task.modules) for key, task in TASKS.items()}
    seen: set[int] = set()
    for name, thing in _public():
        if id(thing) not in seen:
            seen.add(id(thing))
            tasks[_task_of(thing.__module__)].names[name] = thing
    return tasks


def _public() -> Iterator[tuple[str, Any]]:
    """Yield the public functions and classes, those of the package itself first."""
    for subpackage in ("", *SUBPACKAGES):
        package = importlib.import_module(f"{PACKAGE}.{subpackage}".rstrip("."))
        for name in package.__all__:
            thing = getattr(package, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield ".".join(filter(None, ("na", subpackage, name))), thing


def _task_of(module: str) -> str:
    within = module.removeprefix(f"{PACKAGE}.")
    lengths = {
        key: max((len(part) for part in task.modules if f"{within}.".startswith(f"{part}.")), default=0)
        for key, task in TASKS.items()
    }
    return max(lengths, key=lambda key: lengths[key])


def _file(name: str) -> str:
    return f"{name}.md"


def _page(name: str, thing: Any, task: str) -> str:
    short = name.removeprefix("na.")
    back = f"[Python](index.md) / [{TASKS[task].title}]({task}.md)"
    options = f"{{heading: {name}, toc_label: {short}}}"
    object_ = f"::: {thing.__module__}.{thing.__qualname__}\n    options: {options}"
    return f"---\ntitle: {short}\n---\n\n{back}\n\n{object_}\n"


def _contents_of(task: Task) -> str:
    rows = [
        f"| [`{name.removeprefix('na.')}`]({_file(name)}) | {_summary(thing)} |"
        for name, thing in task.names.items()
    ]
    return "\n".join([f"# {task.title}\n\n{task.about}\n\n| `na.` | what it is |\n|---|---|", *rows])


def _summary(thing: Any) -> str:
    """Return the first line of a docstring as text of a table."""
    return (inspect.getdoc(thing) or "").split("\n", 1)[0].replace("``", "`").replace("|", r"\|")


def _contents() -> str:
    parts = []
    for key, task in grouped().items():
        links = ", ".join(f"[`{name.removeprefix('na.')}`]({_file(name)})" for name in task.names)
        parts.append(f"## [{task.title}]({key}.md)\n\n{task.about}\n\n{links}")
    return "\n\n".join(parts)
