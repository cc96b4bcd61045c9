"""JSON files that hold a digest of their own content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ndcg_asymptotics.core.errors import InputError
from ndcg_asymptotics.core.files import UnreadableError, read_regular, write_file

LARGEST = 2**25
"""Bytes of a record, at most; the 100,000 list lengths of the largest study take 2 MB."""


def digest_of(content: bytes) -> str:
    """Return the BLAKE2b-128 digest of some bytes; ``b2sum -l 128`` prints the same."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def key_of(fields: Mapping[str, Any]) -> str:
    """Return a digest of plain JSON values, whatever the order of their names."""
    return digest_of(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())


def write_record(
    path: Path, fields: Mapping[str, Any], root: Path | None = None, *, durable: bool = True
) -> None:
    """Write plain values as JSON with a digest of them; options are those of `write_file`.

    Raises
    ------
    InputError
        If they are more than can be read again.
    OSError
        If the file cannot be written.
    """
    content = json.dumps({**fields, "digest": key_of(json.loads(json.dumps(fields)))}, indent=1).encode()
    if len(content) > LARGEST:
        raise InputError(f"{path}: a description of {len(content)} bytes, at most {LARGEST} are allowed")
    write_file(path, content, root, durable=durable)


def read_record(path: Path) -> dict[str, Any]:
    """Read the values that `write_record` wrote.

    Raises
    ------
    UnreadableError
        If the file does not hold what was written.
    """
    try:
        found = json.loads(read_regular(path, LARGEST))
        if not isinstance(found, dict):
            raise UnreadableError("is damaged (not a JSON object)")
        digest = found.pop("digest", None)
        same = digest == key_of(found)
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged (not JSON)") from None
    if not same:
        raise UnreadableError("is damaged (its digest does not match)")
    return found
