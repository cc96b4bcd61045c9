"""A hook of mkdocs that makes the gallery: thumbnails, and a page for each figure.

docs/gallery.md has an entry for each figure: the image with its title, and a caption that ends with links to
the study or program that makes the data and to the script that draws. The page of a figure shows these files.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from PIL import Image

ROOT = Path(__file__).parents[2]
FIGURES = "figures/gallery"
ENTRY = re.compile(rf"^!\[(.+)\]\(\.\./{FIGURES}/(.+)\.png\)\n((?:\S.*\n)+)", re.MULTILINE)
SOURCE = re.compile(r"\[[^\]]+\]\(\.\./((?:experiments|figures)/[\w/.-]+)\)")
LANGUAGES = {".toml": "toml", ".py": "python"}
WIDTH = 480  # of a thumbnail, twice that on the page


@dataclass(frozen=True)
class Entry:
    """A figure of the gallery; ``sources`` are files of the repository, studies first."""

    title: str
    name: str
    caption: str
    sources: tuple[str, ...]


def on_files(files: Files, config: Any) -> Files:
    """Add a page and a thumbnail for each figure."""
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for entry in map(_entry, ENTRY.finditer(text + "\n")):
        files.append(File.generated(config, f"gallery/{entry.name}.md", content=_page(entry)))
        thumbnail = _thumbnail(ROOT / FIGURES / f"{entry.name}.png")
        files.append(File.generated(config, f"gallery/{entry.name}.webp", content=thumbnail))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Lay the entries of the gallery out as cards."""
    if page.file.src_uri != "gallery.md":
        return markdown
    page.meta["hide"] = ["navigation"]  # more columns
    first, *sections = re.split(r"^(?=## )", markdown + "\n", flags=re.MULTILINE)
    return first + "\n".join(_section(section) for section in sections)


def _entry(found: re.Match[str]) -> Entry:
    title, name, below = found.groups()
    caption = re.split(r"\s+\[", " ".join(below.split()), maxsplit=1)[0]
    return Entry(title, name, caption, tuple(SOURCE.findall(below)))


def _section(text: str) -> str:
    heading, _, _ = text.partition("\n")
    cards = "\n".join(_card(_entry(found)) for found in ENTRY.finditer(text))
    return f'{heading}\n\n<div class="gallery" markdown>\n{cards}\n</div>\n'


def _card(entry: Entry) -> str:
    link = f"gallery/{entry.name}"
    image = f"![]({link}.webp){{ loading=lazy }}"
    return f'<div class="card" markdown>\n[{image} {entry.title}]({link}.md)\n</div>\n'


def _page(entry: Entry) -> str:
    image = f"../{FIGURES}/{entry.name}.png"
    parts = [
        "---\nsearch:\n  exclude: true\nhide: [toc]\n---",
        f"# {entry.title}",
        f"[![{entry.title}]({image})]({image})",
        re.sub(r"\]\((?=[\w-]+\.md)", "](../", entry.caption),
        *(_source(ROOT / source) for source in entry.sources),
        "[All figures](../gallery.md)",
    ]
    return "\n\n".join(parts)


def _source(path: Path) -> str:
    """Return a file as a code block: open for a study, folded for a program."""
    name = path.relative_to(ROOT).as_posix()
    lines = ["```" + LANGUAGES[path.suffix], *path.read_text(encoding="utf-8").splitlines(), "```"]
    kind = "???" if path.suffix == ".py" else "???+"
    return "\n".join([f'{kind} example "{name}"', "", *(f"    {line}".rstrip() for line in lines)])


def _thumbnail(path: Path) -> bytes:
    with Image.open(path) as image:
        small = image.convert("RGB")
        small.thumbnail((WIDTH, WIDTH))
        out = io.BytesIO()
        small.save(out, "WEBP", quality=80)
    return out.getvalue()
