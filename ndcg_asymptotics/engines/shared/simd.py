"""Blocks of numbers as values, for loops too short for the compiler to vectorise by itself.

`load_vector` takes the `WIDTH` numbers that start at an offset of a flat array made by `aligned`, `load_wide`
the `WIDE` ones, and `store` puts them back; offsets are multiples of `WIDTH`. In between a block is a value
like a number, kept in registers: eight doubles are one of AVX-512, and LLVM splits them on machines with
narrower ones. A wide block is three of these, so that what a loop does beside its arithmetic is done once for
all.
Below each plain Python meaning stands the vector instruction numba puts in its place.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

from ndcg_asymptotics.core.arrays import Array, Floats

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.datamodel.manager import DataModelManager
    from numba.core.typing.context import BaseContext as TypingContext
    from numba.core.typing.templates import Signature
    from numpy.typing import DTypeLike

    _Typed = tuple[Signature, Callable[..., ir.Value]]  # of an intrinsic: its types, and what emits its code
    _Body = Callable[..., object]  # what is compiled in the place of a function

WIDTH = 8
WIDE = 3 * WIDTH
_BYTES = 8 * WIDTH


def aligned(count: int, dtype: DTypeLike = np.float64) -> Array:
    """Return zeros whose first byte is at a multiple of 64.

    >>> aligned(16).ctypes.data % 64, aligned(3, np.int32)
    (0, array([0, 0, 0], dtype=int32))
    """
    length = count * np.dtype(dtype).itemsize
    raw = np.zeros(length + _BYTES, np.uint8)  # one large allocation: numpy asks for huge pages
    start = -raw.ctypes.data % _BYTES
    return raw[start : start + length].view(dtype)


def load_vector(array: Floats, offset: int) -> Floats:
    """Return the block of an array at an offset."""
    return array[offset : offset + WIDTH].copy()


def load_wide(array: Floats, offset: int) -> Floats:
    """Return the wide block of an array at an offset."""
    return array[offset : offset + WIDE].copy()


def store(array: Floats, offset: int, block: Floats) -> None:
    """Write a block into an array at an offset."""
    array[offset : offset + block.size] = block


def fill(number: float) -> Floats:
    """Return a wide block filled with one number."""
    return np.full(WIDE, number)


def multiply_add(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a b + c, fused where the machine can."""
    return a * b + c


def choose(condition: int, a: Floats, b: Floats) -> Floats:
    """Return ``a`` if the condition is not 0, else ``b``, without a branch."""
    return a if condition != 0 else b


def inner_products(array: Floats, weights: Floats) -> Floats:
    """Return the inner products of the first eight wide blocks of an array with another one, as a block."""
    return array[: WIDTH * WIDE].reshape(WIDTH, WIDE) @ weights


_instruction: Any = intrinsic  # its type forgets that the first argument is numba's
_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_LANES = ir.VectorType(ir.IntType(64), WIDTH)
_INT = ir.IntType(32)


class _BlockType(types.Type):
    """The type of a block of so many vectors in compiled code."""

    def __init__(self, vectors: int) -> None:
        super().__init__(name=f"block of {vectors * WIDTH} doubles")
        self.vectors = vectors


_BLOCK, _WIDE = _BlockType(1), _BlockType(WIDE // WIDTH)


@register_model(_BlockType)
class _BlockModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, kind: _BlockType) -> None:
        vectors = ir.ArrayType(_VECTOR, kind.vectors)
        super().__init__(manager, kind, vectors)


def _vectors(builder: ir.IRBuilder, block: ir.Value) -> list[ir.Value]:
    return [builder.extract_value(block, i) for i in range(block.type.count)]


def _block(builder: ir.IRBuilder, vectors: list[ir.Value]) -> ir.Value:
    result = ir.Constant(ir.ArrayType(_VECTOR, len(vectors)), ir.Undefined)
    for i, vector in enumerate(vectors):
        result = builder.insert_value(result, vector, i)
    return result


def _addresses(
    context: BaseContext, builder: ir.IRBuilder, kind: types.Type, place: Sequence[ir.Value], vectors: int
) -> list[ir.Value]:
    array, offset = place
    data = context.make_array(kind)(context, builder, array).data
    first = builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())
    return [builder.gep(first, [_INT(i)]) for i in range(vectors)]


def _shuffle(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, lanes: list[int]) -> ir.Value:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT, WIDTH), lanes))


def _broadcast(builder: ir.IRBuilder, value: ir.Value, vector: ir.VectorType) -> ir.Value:
    """Return a vector with one value in every lane."""
    empty = ir.Constant(vector, ir.Undefined)
    return _shuffle(builder, builder.insert_element(empty, value, _INT(0)), empty, [0] * WIDTH)


def _loading(block: _BlockType) -> Any:
    def declare(typing: TypingContext, array: types.Type, offset: types.Type) -> _Typed:
        def generate(
            context: BaseContext, builder: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
        ) -> ir.Value:
            at = _addresses(context, builder, signature.args[0], values, block.vectors)
            return _block(builder, [builder.load(address, align=_BYTES) for address in at])

        return block(array, types.intp), generate

    return _instruction(declare)


_load, _load_wide = _loading(_BLOCK), _loading(_WIDE)


@_instruction
def _store(typing: TypingContext, array: types.Type, offset: types.Type, block: types.Type) -> _Typed:
    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
    ) -> ir.Value:
        vectors = _vectors(builder, values[2])
        at = _addresses(context, builder, signature.args[0], values[:2], len(vectors))
        for address, vector in zip(at, vectors, strict=True):
            builder.store(vector, address, align=_BYTES)
        return context.get_dummy_value()

    return types.void(array, types.intp, block), generate


@_instruction
def _inner_products(typing: TypingContext, array: types.Type, weights: types.Type) -> _Typed:
    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, values: Sequence[ir.Value]
    ) -> ir.Value:
        w, place = _vectors(builder, values[1]), (values[0], ir.Constant(ir.IntType(64), 0))
        at = _addresses(context, builder, signature.args[0], place, WIDTH * len(w))
        sums = []
        for i in range(0, len(at), len(w)):
            first, *vectors = (builder.load(address, align=_BYTES) for address in at[i : i + len(w)])
            total = builder.fmul(first, w[0])
            for vector, weight in zip(vectors, w[1:], strict=True):
                total = _emit_multiply_add(builder, vector, weight, total)
            sums.append(total)
        # two vectors of sums become one, in which lanes next to each other are added: pairs, then pairs of
        # pairs
        first, apart = [lane for i in range(0, WIDTH, 2) for lane in (i, i + WIDTH)], 1
        while len(sums) > 1:
            second = [lane + apart for lane in first]
            sums = [
                builder.fadd(_shuffle(builder, a, b, first), _shuffle(builder, a, b, second))
                for a, b in zip(sums[::2], sums[1::2], strict=True)
            ]
            first, apart = [lane for lane in range(2 * WIDTH) if not lane & 2], 2
        return _block(builder, sums)

    return _BLOCK(array, weights), generate


def _pure(block: _BlockType | None, emit: Callable[..., ir.Value]) -> Any:
    """Return an intrinsic of blocks and numbers; ``emit`` gets a builder and their values.

    The result is the given kind of block, or that of the last argument.
    """

    def declare(typing: TypingContext, arguments: Any) -> _Typed:
        def generate(
            context: BaseContext, builder: ir.IRBuilder, _: Signature, values: Sequence[ir.Value]
        ) -> ir.Value:
            return emit(builder, *cgutils.unpack_tuple(builder, values[0]))

        return (block or arguments[-1])(arguments), generate

    return _instruction(declare)


def _each(emit: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """Return a function that emits the same for each vector of the blocks."""

    def emit_all(builder: ir.IRBuilder, *blocks: ir.Value) -> ir.Value:
        rows = zip(*(_vectors(builder, block) for block in blocks), strict=True)
        return _block(builder, [emit(builder, *row) for row in rows])

    return emit_all


def _emit_fill(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    return _block(builder, [_broadcast(builder, number, _VECTOR)] * _WIDE.vectors)


def _emit_multiply_add(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, c: ir.Value) -> ir.Value:
    kind, name = ir.FunctionType(_VECTOR, [_VECTOR] * 3), f"llvm.fmuladd.v{WIDTH}f64"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [a, b, c])


def _emit_choose(builder: ir.IRBuilder, condition: ir.Value, *blocks: ir.Value) -> ir.Value:
    # lane by lane: of a condition for all of them LLVM makes a branch
    lanes = _broadcast(builder, condition, _LANES)
    mask = builder.icmp_signed("!=", lanes, ir.Constant(_LANES, [0] * WIDTH))
    return _each(lambda builder, a, b: builder.select(mask, a, b))(builder, *blocks)


_fill = _pure(_WIDE, _emit_fill)
_add = _pure(None, _each(lambda builder, a, b: builder.fadd(a, b)))
_multiply = _pure(None, _each(lambda builder, a, b: builder.fmul(a, b)))
_multiply_add = _pure(None, _each(_emit_multiply_add))
_choose = _pure(None, _emit_choose)


def _compile_as(function: Callable[..., object], body: _Body, *, of_blocks: bool = False) -> None:
    """Let numba compile a body in the place of a function, if need be only where its arguments are blocks."""
    overload(function, strict=False)(
        lambda *arguments: body if not of_blocks or isinstance(arguments[0], _BlockType) else None
    )


_compile_as(load_vector, lambda array, offset: _load(array, offset))
_compile_as(load_wide, lambda array, offset: _load_wide(array, offset))
_compile_as(store, lambda array, offset, block: _store(array, offset, block))
_compile_as(fill, lambda number: _fill((float(number),)))
_compile_as(multiply_add, lambda a, b, c: _multiply_add((a, b, c)))
_compile_as(choose, lambda condition, a, b: _choose((np.int64(condition), a, b)))
_compile_as(inner_products, lambda array, weights: _inner_products(array, weights))
_compile_as(operator.add, lambda a, b: _add((a, b)), of_blocks=True)
_compile_as(operator.mul, lambda a, b: _multiply((a, b)), of_blocks=True)
