"""Arithmetic on blocks of eight doubles, for loops too short for the compiler to vectorise by itself.

Each function works on the `WIDTH` numbers that start at an offset of a flat array made by
`aligned`; offsets are multiples of `WIDTH`. Below each plain Python meaning stands the
vector instruction numba puts in its place. Eight doubles are one AVX-512 register; LLVM splits
them on machines with narrower ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from ndcg_asymptotics.arrays import Floats

WIDTH = 8
_BYTES = 8 * WIDTH


def aligned(count: int, dtype: Any = np.float64) -> NDArray[Any]:
    """Zeros whose first byte stands at a multiple of 64.

    >>> aligned(16).ctypes.data % 64, aligned(3, np.int32)
    (0, array([0, 0, 0], dtype=int32))
    """
    length = count * np.dtype(dtype).itemsize
    raw = np.zeros(length + _BYTES, np.uint8)  # one large allocation: numpy asks for huge pages
    start = -raw.ctypes.data % _BYTES
    return raw[start : start + length].view(dtype)


def merge(sums: Floats, up: int, left: int, right: int, high: Floats, h: int, low: Floats, j: int) -> None:
    """sums[up] = sums[left] + high[h] low[j] sums[right]."""
    factor = high[h : h + WIDTH] * low[j : j + WIDTH]
    sums[up : up + WIDTH] = sums[left : left + WIDTH] + factor * sums[right : right + WIDTH]


def add_scaled(target: Floats, t: int, scale: float, source: Floats, s: int) -> None:
    """target[t] += scale source[s]."""
    target[t : t + WIDTH] += scale * source[s : s + WIDTH]


def add_product(target: Floats, t: int, a: Floats, i: int, b: Floats, j: int) -> None:
    """target[t] += a[i] b[j]."""
    target[t : t + WIDTH] += a[i : i + WIDTH] * b[j : j + WIDTH]


def add_shifted(
    target: Floats, t: int, high: Floats, h: int, low: Floats, j: int, source: Floats, s: int
) -> None:
    """target[t] += high[h] low[j] source[s]."""
    target[t : t + WIDTH] += high[h : h + WIDTH] * low[j : j + WIDTH] * source[s : s + WIDTH]


def prefetch(array: NDArray[Any], offset: int) -> None:
    """Ask for the cache line that holds array[offset]; no effect on any value."""


_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_INT = ir.IntType(32)


class _Block:
    """Emits the instructions of one call; the arguments come as types and values."""

    def __init__(self, context: Any, builder: Any, kinds: Any, values: Any) -> None:
        self.context, self.builder, self.kinds, self.values = context, builder, kinds, values

    def address(self, array: int, pointer: Any) -> Any:
        """Where argument ``array`` is at the offset in the argument after it."""
        data = self.context.make_array(self.kinds[array])(self.context, self.builder, self.values[array]).data
        return self.builder.bitcast(self.builder.gep(data, [self.values[array + 1]]), pointer)

    def load(self, array: int) -> Any:
        """The block of an array at its offset."""
        return self.builder.load(self.address(array, _VECTOR.as_pointer()), align=_BYTES)

    def store(self, value: Any, array: int) -> None:
        """Write a block of an array at its offset."""
        self.builder.store(value, self.address(array, _VECTOR.as_pointer()), align=_BYTES)

    def fill(self, argument: int) -> Any:
        """A block of one number."""
        empty = ir.Constant(_VECTOR, ir.Undefined)
        first = self.builder.insert_element(empty, self.values[argument], _INT(0))
        lanes = ir.Constant(ir.VectorType(_INT, WIDTH), [0] * WIDTH)
        return self.builder.shuffle_vector(first, empty, lanes)

    def multiply_add(self, a: Any, b: Any, c: Any) -> Any:
        """a b + c, fused where the machine can."""
        return self.call(f"llvm.fmuladd.v{WIDTH}f64", _VECTOR, a, b, c)

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        """Call a function of LLVM."""
        kind = ir.FunctionType(result, [a.type for a in arguments])
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)  # type: ignore[no-untyped-call]
        return self.builder.call(function, list(arguments))


def _instruction(emit: Callable[[_Block], None]) -> Any:
    """An intrinsic without a value, its arguments in a tuple, from what it emits."""

    def declare(typing_context: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            members = cgutils.unpack_tuple(builder, values[0])  # type: ignore[no-untyped-call]
            emit(_Block(context, builder, arguments.types, members))
            return context.get_dummy_value()

        return types.void(arguments), generate

    return intrinsic(declare)


@_instruction
def _merge(b: _Block) -> None:
    factor = b.builder.fmul(b.load(4), b.load(6))
    b.store(b.multiply_add(factor, b.load(8), b.load(2)), 0)


@_instruction
def _add_scaled(b: _Block) -> None:
    b.store(b.multiply_add(b.fill(2), b.load(3), b.load(0)), 0)


@_instruction
def _add_product(b: _Block) -> None:
    b.store(b.multiply_add(b.load(2), b.load(4), b.load(0)), 0)


@_instruction
def _add_shifted(b: _Block) -> None:
    factor = b.builder.fmul(b.load(2), b.load(4))
    b.store(b.multiply_add(factor, b.load(6), b.load(0)), 0)


@_instruction
def _prefetch(b: _Block) -> None:
    # for writing (1), into the second-level cache (2), data (1)
    pointer = ir.IntType(8).as_pointer()
    b.call("llvm.prefetch.p0i8", ir.VoidType(), b.address(0, pointer), _INT(1), _INT(2), _INT(1))


@overload(merge, strict=False)
def _compiled_merge(sums: Any, up: Any, left: Any, right: Any, high: Any, h: Any, low: Any, j: Any) -> Any:
    return lambda sums, up, left, right, high, h, low, j: _merge(
        (sums, up, sums, left, high, h, low, j, sums, right)
    )


@overload(add_scaled, strict=False)
def _compiled_add_scaled(target: Any, t: Any, scale: Any, source: Any, s: Any) -> Any:
    return lambda target, t, scale, source, s: _add_scaled((target, t, scale, source, s))


@overload(add_product, strict=False)
def _compiled_add_product(target: Any, t: Any, a: Any, i: Any, b: Any, j: Any) -> Any:
    return lambda target, t, a, i, b, j: _add_product((target, t, a, i, b, j))


@overload(add_shifted, strict=False)
def _compiled_add_shifted(
    target: Any, t: Any, high: Any, h: Any, low: Any, j: Any, source: Any, s: Any
) -> Any:
    return lambda target, t, high, h, low, j, source, s: _add_shifted((target, t, high, h, low, j, source, s))


@overload(prefetch, strict=False)
def _compiled_prefetch(array: Any, offset: Any) -> Any:
    return lambda array, offset: _prefetch((array, offset))
