"""A hook of mkdocs that shows notebooks as pages, with the outputs that are stored in them."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files

FOLDER = Path(__file__).parents[1] / "notebooks"


def on_files(files: Files, config: Any) -> Files:
    """Add a page and its figures for each notebook, and keep the notebook beside it, to download."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        parts = []
        for i, cell in enumerate(notebook.cells):
            parts.append(cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```")
            for j, (text, figure) in enumerate(map(_shown, cell.get("outputs", []))):
                name = f"{path.stem}-{i}-{j}.png"
                if figure:
                    files.append(File.generated(config, f"notebooks/{name}", content=figure))
                parts.append(f"![]({name})" if figure else text)
        parts.append(f"[Download this notebook]({path.name})")
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content="\n\n".join(parts)))
    return files


def _shown(output: Any) -> tuple[str, bytes]:
    """Return an output of a cell as text of a page, or as a picture."""
    data = output.get("data", {})
    if "image/png" in data:
        return "", base64.b64decode(data["image/png"])
    if "text/html" in data:
        return f'<div class="output">\n{data["text/html"]}\n</div>', b""
    return f"```text\n{data.get('text/plain', output.get('text', ''))}\n```", b""
