"""Digests by which a store knows that it still holds what was written.

Every replicate has a *seal*: a digest of its values, its index and its study, so that values that were
altered, lost or put in another place do not pass. Every description file of the store (zarr's own
``zarr.json``, which says what shape and type an array has) carries a checksum of itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ndcg_asymptotics.studies.canonical import FREE

Seals = NDArray[np.uint64]

CHECKSUM = "checksum"


def study_key(fields: Mapping[str, Any]) -> bytes:
    """A digest of the canonical fields that decide results."""
    deciding = {name: value for name, value in fields.items() if name not in FREE}
    return hashlib.blake2b(_plain(deciding), digest_size=16).digest()


def seals_of(key: bytes, replicates: Sequence[int], values: Mapping[str, NDArray[Any]]) -> Seals:
    """The seals of replicates, from their values stacked along a leading axis; never 0."""
    stacked = [(name.encode(), _little_endian(values[name])) for name in sorted(values)]
    seals = np.empty(len(replicates), np.uint64)
    for row, replicate in enumerate(replicates):
        state = hashlib.blake2b(int(replicate).to_bytes(8, "little", signed=True), digest_size=8, key=key)
        for name, array in stacked:
            state.update(name)
            state.update(array[row])
        seals[row] = int.from_bytes(state.digest(), "little") or 1
    return seals


def _little_endian(values: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of each row."""
    ordered = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    return ordered.reshape(len(ordered), -1).view(np.uint8)


def with_checksum(content: bytes) -> bytes:
    """A description file with the checksum of what else it says among its attributes."""
    found = json.loads(content)
    found["attributes"] = {**found.get("attributes", {}), CHECKSUM: _checksum(found)}
    return json.dumps(found, indent=2).encode()


def checksum_holds(description: Mapping[str, Any]) -> bool:
    """Whether a description file says what it said when it was written."""
    attributes = description.get("attributes")
    return isinstance(attributes, dict) and attributes.get(CHECKSUM) == _checksum(description)


def _checksum(description: Mapping[str, Any]) -> str:
    attributes = description.get("attributes") or {}
    kept = {name: value for name, value in attributes.items() if name != CHECKSUM}
    return hashlib.blake2b(_plain({**description, "attributes": kept}), digest_size=8).hexdigest()


def digest_of(content: bytes) -> str:
    """The digest of a file beside the store."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _plain(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
