"""Hooks of mkdocs: they add pages from the root of the repository, and a page for each command.

Links to files outside docs/ work in the repository; the hooks rewrite them to where the site has the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from ndcg_asymptotics.studies.toml import TEMPLATE

ROOT = Path(__file__).parents[2]
PAGES = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "CODE_OF_CONDUCT.md": "CODE_OF_CONDUCT.md",
    "SECURITY.md": "SECURITY.md",
}


def on_files(files: Files, config: Any) -> Files:
    """Add the gallery, the experiments, a page per command, and the pages at the root of the repository."""
    for pattern in ("figures/gallery/*.png", "experiments/**/*.toml", "experiments/**/*.py"):
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            if files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, abs_src_path=str(path)))
    for name, page, command in _commands():
        files.append(File.generated(config, f"commands/{page}", content=_command(name, command)))
    for name, source in PAGES.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Rewrite links that leave docs/, and insert the generated parts."""
    name = page.file.src_uri
    if name in PAGES:
        markdown = markdown.replace("](docs/", "](")
    up = "../" * (name.count("/") + 1)
    down = "../" * name.count("/")
    markdown = re.sub(rf"\]\({re.escape(up)}(figures|experiments)/", rf"]({down}\1/", markdown)
    for target, source in PAGES.items():
        markdown = markdown.replace(f"]({up}{source})", f"]({down}{target})")
    markdown = re.sub(r"<!-- not run: [^>]*-->\n", "", markdown)
    if name == "commands/index.md":
        return markdown.replace("<!-- the commands -->", _contents())
    return markdown.replace("<!-- the study file -->", f"```toml\n{TEMPLATE}```")


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Name the dialog of the search, and make the lists within the navigation groups instead of landmarks."""
    dialog = 'data-md-component="search" role="dialog"'
    output = output.replace(dialog, f'{dialog} aria-label="Search"')
    inner: list[bool] = []

    def element(found: re.Match[str]) -> str:
        if found[1]:
            return "</div>" if inner.pop() else found[0]
        inner.append('class="md-nav" data-md-level=' in found[0])
        return found[0].replace("<nav", '<div role="group"') if inner[-1] else found[0]

    return re.sub(r"<(/?)nav\b[^>]*>", element, output)


def _commands() -> Iterator[tuple[str, str, Any]]:
    """Yield every command with its name and the name of its page."""
    import typer

    from ndcg_asymptotics.cli.app import application

    for name, command in _within("", typer.main.get_command(application())):
        yield name, f"{name.replace(' ', '-')}.md", command


def _contents() -> str:
    """Return a table of the commands with the first line of the help of each."""
    rows = []
    for name, page, command in _commands():
        first = (command.help or "").partition("\n")[0].replace("|", "/")
        rows.append(f"| [`{name}`]({page}) | {first} |")
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def _command(name: str, command: Any) -> str:
    """Return the help of a command with a table of its options."""
    parts = [f"# {name}\n\n{_prose(command.help or '')}\n\n{_prose(command.epilog or '')}\n"]
    parts.append("| option | meaning |\n|---|---|")
    for parameter in (one for one in command.params if not getattr(one, "hidden", False)):
        flags = ", ".join(
            f"`{flag}`" for flag in (*parameter.opts, *parameter.secondary_opts) if flag[0] == "-"
        )
        words = getattr(parameter, "help", "") or ""
        shown = flags or f"`{parameter.metavar or parameter.name}`"
        parts.append(f"| {shown} | {words.replace('|', '/')} |")
    return "\n".join(parts)


def _within(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands of a group and of the groups within it, each with its full name."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for word, one in inner.items():
        yield from _within(f"{name} {word}".strip(), one)


def _prose(text: str) -> str:
    """Return the help of a command, with its examples as code."""
    lines = [f"    {line}" if line.startswith("ndcg-asymptotics ") else line for line in text.splitlines()]
    return "\n".join(line for line in lines if line != "\b")  # click's mark of lines that stay as they are
