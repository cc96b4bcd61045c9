"""Every file of a store but those of its values: made from what they say, and read with care."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zarr
from zarr.core.buffer import Buffer
from zarr.storage import MemoryStore

from ndcg_asymptotics.core.arrays import Integers
from ndcg_asymptotics.results.chunks import COMPRESSORS, UnreadableError, never, read_bounded
from ndcg_asymptotics.results.damage.seals import Seals, checksum_holds, digest_of, with_checksum
from ndcg_asymptotics.results.layout import (
    CHUNK_BYTES,
    CHUNK_ROWS,
    FORMAT,
    INDEX,
    SEAL,
    STORE,
    Layout,
    Variable,
)

JSON = "zarr.json"
"""The name of zarr's description files."""

_LARGEST = 2**26  # bytes of a description file


@dataclass(frozen=True)
class Description:
    """What a store says of its values.

    Attributes
    ----------
    layout : Layout
    versions : list of dict
        What made them.
    files : mapping of name to digest
        What stands beside the store.
    replicates : (R,) integers
        Their indices, row by row.
    seals : (R,)
        0 where a replicate is not complete.
    """

    layout: Layout
    versions: Sequence[Mapping[str, str]]
    files: Mapping[str, str]
    replicates: Integers
    seals: Seals

    def encoded(self) -> dict[str, bytes]:
        """The files by their keys, in the order in which they may replace older ones of fewer replicates.

        The length of ``seal`` says how many replicates there are: what describes it comes last.
        """
        found: dict[str, Buffer] = {}
        group = zarr.create_group(store=MemoryStore(found))
        for name, labels in self.layout.coordinates.items():
            text = labels.dtype.kind == "U"
            array = group.create_array(
                name, shape=labels.shape, dtype=str if text else labels.dtype, dimension_names=(name,),
                compressors=COMPRESSORS,
            )  # fmt: skip
            array[:] = labels.astype(object) if text else labels
        labelled = set(found) - {JSON}
        for name, values in ((INDEX, self.replicates), (SEAL, self.seals)):
            array = self._create(group, name, Variable((), (), values.dtype), CHUNK_ROWS)
            if len(values):
                array[:] = values
        for name, variable in self.layout.variables.items():
            self._create(group, name, variable, self.layout.chunk_rows)
        files = {key: content.to_bytes() for key, content in found.items()}
        files |= {key: with_checksum(content) for key, content in files.items() if key.endswith(JSON)}
        beside = {f"{STORE}/{key}": digest_of(files[key]) for key in sorted(labelled)}
        files[JSON] = with_checksum(self._group(files[JSON], beside))
        order = sorted(files, key=lambda key: (key.endswith(JSON), key == f"{SEAL}/{JSON}"))
        return {key: files[key] for key in order}

    def _create(self, group: zarr.Group, name: str, variable: Variable, rows: int) -> zarr.Array[Any]:
        return group.create_array(
            name,
            shape=(len(self.seals), *variable.shape),
            chunks=(rows, *variable.shape),
            dtype=variable.dtype,
            dimension_names=(INDEX, *variable.axes),
            compressors=COMPRESSORS,
            fill_value=never(variable.dtype),
        )

    def _group(self, content: bytes, labels: Mapping[str, str]) -> bytes:
        """The description of the whole store."""
        fields = dict(self.layout.fields)
        attributes = {
            "format": FORMAT,
            "study": json.dumps(fields),
            "seed": fields["seed"],
            "engine": fields["engine"],
            "versions": list(self.versions),
            "files": {**self.files, **labels},
        }
        return json.dumps({**json.loads(content), "attributes": attributes}).encode()


def read_json(path: Path) -> dict[str, Any]:
    """A description file.

    Raises
    ------
    UnreadableError
        If it is none.
    """
    try:
        found = json.loads(read_bounded(path, _LARGEST))
    except (ValueError, RecursionError):
        raise UnreadableError("is damaged (no JSON)") from None
    if not isinstance(found, dict):
        raise UnreadableError("is damaged (no JSON object)")
    return found


def array_described(path: Path, variable: Variable, rows: int | None) -> tuple[int, int]:
    """How many rows an array has according to its description, and how many a chunk of it.

    Parameters
    ----------
    path : Path
        The description file.
    variable : Variable
        What the array ought to be.
    rows : int or None
        Of a chunk; None for format 1, which left that to the engine and had no checksums.

    Raises
    ------
    UnreadableError
        If it is another array, or not what was written.
    """
    found = read_json(path)
    try:
        length, *shape = found["shape"]
        per_chunk, *of_chunk = found["chunk_grid"]["configuration"]["chunk_shape"]
        codecs = [codec["name"] for codec in found["codecs"]]
        dtype, axes = found["data_type"], found["dimension_names"]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise UnreadableError(f"is damaged ({error!r})") from None
    if rows is not None and not checksum_holds(found):
        raise UnreadableError("is damaged (the checksum does not match)")
    expected = (list(variable.shape), list(variable.shape), variable.dtype.name, [INDEX, *variable.axes])
    packed = ["bytes", "zstd", "crc32c"][: 3 if rows is not None else 2]
    whole = all(isinstance(number, int) and number >= 0 for number in (length, per_chunk))
    if (
        not whole
        or (shape, of_chunk, dtype, axes) != expected
        or codecs != packed
        or not per_chunk
        or per_chunk != (rows or per_chunk)
        or per_chunk * variable.nbytes > max(4 * CHUNK_BYTES, variable.nbytes)
    ):
        raise UnreadableError("is not that of the array it stands for")
    return length, per_chunk
