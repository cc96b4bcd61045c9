"""Blocks of eight doubles as values, for loops too short for the compiler to vectorise by itself.

`load` takes the `WIDTH` numbers that start at an offset of a flat array made by `aligned`, `store` puts
them back; offsets are multiples of `WIDTH`. In between a block is a value like a number, kept in a
register: eight doubles are one of AVX-512, and LLVM splits them on machines with narrower ones. Below each
plain Python meaning stands the vector instruction numba puts in its place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

from ndcg_asymptotics.core.arrays import Floats

WIDTH = 8
_BYTES = 8 * WIDTH


def aligned(count: int, dtype: Any = np.float64) -> NDArray[Any]:
    """Return zeros whose first byte is at a multiple of 64.

    >>> aligned(16).ctypes.data % 64, aligned(3, np.int32)
    (0, array([0, 0, 0], dtype=int32))
    """
    length = count * np.dtype(dtype).itemsize
    raw = np.zeros(length + _BYTES, np.uint8)  # one large allocation: numpy asks for huge pages
    start = -raw.ctypes.data % _BYTES
    return raw[start : start + length].view(dtype)


def load(array: Floats, offset: int) -> Floats:
    """Return the block of an array at an offset."""
    return array[offset : offset + WIDTH].copy()


def store(array: Floats, offset: int, block: Floats) -> None:
    """Write a block into an array at an offset."""
    array[offset : offset + WIDTH] = block


def fill(number: float) -> Floats:
    """Return a block filled with one number."""
    return np.full(WIDTH, number)


def multiply_add(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a b + c, fused where the machine can."""
    return a * b + c


def choose(condition: int, a: Floats, b: Floats) -> Floats:
    """Return ``a`` if the condition is not 0, else ``b``, without a branch."""
    return a if condition != 0 else b


def transpose(rows: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """Return eight blocks; block j holds the j-th numbers of the given ones."""
    return tuple(np.array(rows).T.copy())


_instruction: Any = intrinsic  # its type forgets that the first argument is numba's


class _BlockType(types.Type):
    """The type of a block in compiled code."""

    def __init__(self) -> None:
        super().__init__(name=f"block of {WIDTH} doubles")


_BLOCK = _BlockType()
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_LANES = ir.VectorType(ir.IntType(64), WIDTH)
_INT = ir.IntType(32)


@register_model(_BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [offset])


def _call(builder: Any, name: str, result: Any, *arguments: Any) -> Any:
    """Call a function of LLVM."""
    kind = ir.FunctionType(result, [a.type for a in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
    return builder.call(function, list(arguments))


def _shuffle(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT, WIDTH), lanes))


def _broadcast(builder: Any, value: Any, vector: Any) -> Any:
    """Return a vector with one value in every lane."""
    empty = ir.Constant(vector, ir.Undefined)
    return _shuffle(builder, builder.insert_element(empty, value, _INT(0)), empty, [0] * WIDTH)


@_instruction
def _load(typing: Any, array: Any, offset: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _address(context, builder, signature.args[0], *values)
        return builder.load(builder.bitcast(at, _VECTOR.as_pointer()), align=_BYTES)

    return _BLOCK(array, types.intp), generate


@_instruction
def _store(typing: Any, array: Any, offset: Any, block: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        at = _address(context, builder, signature.args[0], *values[:2])
        builder.store(values[2], builder.bitcast(at, _VECTOR.as_pointer()), align=_BYTES)
        return context.get_dummy_value()

    return types.void(array, types.intp, _BLOCK), generate


def _pure(signature: Any, emit: Callable[..., Any]) -> Any:
    """Return an intrinsic of blocks and numbers; ``emit`` gets a builder and their values."""

    def declare(typing: Any, arguments: Any) -> Any:
        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            members = cgutils.unpack_tuple(builder, values[0])  # type: ignore[no-untyped-call]
            found = emit(builder, *members)
            return context.make_tuple(builder, signature, found) if isinstance(found, list) else found

        return signature(arguments), generate

    return _instruction(declare)


def _emit_choose(builder: Any, condition: Any, a: Any, b: Any) -> Any:
    # lane by lane: of a condition for all of them LLVM makes a branch
    lanes = _broadcast(builder, condition, _LANES)
    return builder.select(builder.icmp_signed("!=", lanes, ir.Constant(_LANES, [0] * WIDTH)), a, b)


def _emit_transpose(builder: Any, *rows: Any) -> list[Any]:
    blocks = list(rows)
    for step in (1, 2, 4):  # exchange the off-diagonal quarters of squares of side 2 step
        low = [i + WIDTH * (i & step != 0) - (i & step) for i in range(WIDTH)]
        high = [i + step for i in low]
        for i in range(WIDTH):
            if not i & step:
                a, b = blocks[i], blocks[i + step]
                blocks[i], blocks[i + step] = _shuffle(builder, a, b, low), _shuffle(builder, a, b, high)
    return blocks


_fill = _pure(_BLOCK, lambda builder, number: _broadcast(builder, number, _VECTOR))
_add = _pure(_BLOCK, lambda builder, a, b: builder.fadd(a, b))
_multiply = _pure(_BLOCK, lambda builder, a, b: builder.fmul(a, b))
_multiply_add = _pure(
    _BLOCK, lambda builder, *abc: _call(builder, f"llvm.fmuladd.v{WIDTH}f64", _VECTOR, *abc)
)
_choose = _pure(_BLOCK, _emit_choose)
_transpose = _pure(types.UniTuple(_BLOCK, WIDTH), _emit_transpose)  # type: ignore[no-untyped-call]


@overload(load, strict=False)
def _compiled_load(array: Any, offset: Any) -> Any:
    return lambda array, offset: _load(array, offset)


@overload(store, strict=False)
def _compiled_store(array: Any, offset: Any, block: Any) -> Any:
    return lambda array, offset, block: _store(array, offset, block)


@overload(fill, strict=False)
def _compiled_fill(number: Any) -> Any:
    return lambda number: _fill((float(number),))


@overload(multiply_add, strict=False)
def _compiled_multiply_add(a: Any, b: Any, c: Any) -> Any:
    return lambda a, b, c: _multiply_add((a, b, c))


@overload(choose, strict=False)
def _compiled_choose(condition: Any, a: Any, b: Any) -> Any:
    return lambda condition, a, b: _choose((np.int64(condition), a, b))


@overload(transpose, strict=False)
def _compiled_transpose(rows: Any) -> Any:
    return lambda rows: _transpose(rows)


@overload(operator.add, strict=False)
def _compiled_add(a: Any, b: Any) -> Any:
    if a is _BLOCK or isinstance(a, _BlockType):
        return lambda a, b: _add((a, b))
    return None


@overload(operator.mul, strict=False)
def _compiled_multiply(a: Any, b: Any) -> Any:
    if isinstance(a, _BlockType):
        return lambda a, b: _multiply((a, b))
    return None
