"""Sixteen float32 numbers at once, for the inmost loops of kernels.

LLVM makes vector code of plain loops too, but asks at the start of each whether its arrays overlap and whether its
count is a multiple of the vector, which costs more than a short loop itself.  Lanes are the vectors of the processor,
in as many of its registers as it needs: one with AVX-512, four with SSE or NEON.

    total = lanes_at(table, row)                        # 16 numbers of an array, from a place on
    total = add(total, multiply(lanes_at(table, other), spread(share)))
    put_lanes(out, place, total)

Places count from an array's first number, whatever its shape, and are not checked.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.extending import register_model
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from gobang.rules.compiled import instruction

Number = TypeVar("Number", bound=np.generic)

LANES: Final = 16

_FLOAT: Final = ir.FloatType()
_INTEGER: Final = ir.IntType(32)
_FLOATS: Final = ir.VectorType(_FLOAT, LANES)
_INTEGERS: Final = ir.VectorType(_INTEGER, LANES)
_SHORTS: Final = ir.VectorType(ir.IntType(16), LANES)
_ALIGNMENT: Final = 4  # bytes; arrays begin anywhere
_ALIGNMENT_OF_SHORTS: Final = 2
_MERGED: Final = ("contract",)  # a product and a sum may become one instruction
_REORDERED: Final = ("reassoc",)

# exp(x) = 2^n * exp(r), n a whole number and |r| below ln(2) / 2, by the polynomial of Cephes.
_LEAST_EXPONENT: Final = -87.0  # of e, whose power is a normal number
_LOG2_E: Final = 1.44269504
_LN_2_HIGH, _LN_2_LOW = 0.693359375, -2.12194440e-4  # parts of ln(2), of which n times the first is exact
_POLYNOMIAL: Final = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5)
_LINE: Final = 64  # bytes
_BIAS, _MANTISSA_BITS = 127, 23  # of float32


class _LanesType(types.Type):
    """The type of lanes inside kernels."""

    def __init__(self) -> None:
        super().__init__(name=f"Lanes{LANES}")


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _FLOATS)


_LANES: Final = _LanesType()

if TYPE_CHECKING:

    class Lanes:
        """Sixteen float32 numbers; they exist in kernels alone."""

else:
    Lanes = _LANES


def whole_lanes(count: int) -> int:
    """The least multiple of the lanes' number that is not below `count`."""
    return -(-count // LANES) * LANES


def with_room(shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    """An array that is not cleared, behind whose end lanes may be read."""
    count = prod(shape)
    return np.empty(count + LANES, kind)[:count].reshape(shape)


def lined_up(array: NDArray[Number]) -> NDArray[Number]:
    """A contiguous copy that begins with a line of the cache: where places are whole lanes, none lie in two lines."""
    room = np.empty(array.nbytes + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    copy: NDArray[Number] = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _on_lanes(count: int, build: Callable[..., Any]) -> Callable[[Any, Any, Any, Any], Any]:
    """The code of an operation on `count` lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return build(builder, *args[:count])

    return generate


@instruction
def lanes_at(context: Any, array: Any, place: Any) -> Any:
    """The numbers of a contiguous float32 array from a place on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature, args), align=_ALIGNMENT)

    return _LANES(array, types.intp), generate


@instruction
def counts_at(context: Any, array: Any, place: Any) -> Any:
    """The same of a contiguous int32 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        counts = builder.load(_address(context, builder, signature, args, _INTEGERS), align=_ALIGNMENT)
        return builder.sitofp(counts, _FLOATS)

    return _LANES(array, types.intp), generate


@instruction
def put_lanes(context: Any, array: Any, place: Any, lanes: Any) -> Any:
    """Write them there."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature, args), align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), generate


@instruction
def four_summed(context: Any, array: Any, one: Any, two: Any, three: Any, four: Any) -> Any:
    """The sums of four stretches of a contiguous int16 array, which must fit into int16 as well."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total = None
        for place in args[1:]:
            address = _address(context, builder, signature, (args[0], place), _SHORTS)
            stretch = builder.load(address, align=_ALIGNMENT_OF_SHORTS)
            total = stretch if total is None else builder.add(total, stretch)
        return builder.sitofp(total, _FLOATS)

    return _LANES(array, *[types.intp] * 4), generate


def _address(context: Any, builder: Any, signature: Any, args: Any, lanes: Any = _FLOATS) -> Any:
    array = make_array(signature.args[0])(context, builder, args[0])
    return builder.bitcast(builder.gep(array.data, [args[1]]), lanes.as_pointer())


@instruction
def spread(context: Any, number: Any) -> Any:
    """The same number in all lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _spread(builder, args[0])

    return _LANES(types.float32), generate


def _spread(builder: Any, number: Any) -> Any:
    first = builder.insert_element(ir.Constant(_FLOATS, ir.Undefined), number, ir.Constant(_INTEGER, 0))
    return builder.shuffle_vector(first, ir.Constant(_FLOATS, ir.Undefined), ir.Constant(_INTEGERS, [0] * LANES))


@instruction
def counted_from(context: Any, first: Any) -> Any:
    """A whole number and the fifteen that follow it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = _spread(builder, builder.sitofp(args[0], _FLOAT))
        return builder.fadd(first, ir.Constant(_FLOATS, [float(lane) for lane in range(LANES)]))

    return _LANES(types.int64), generate


@instruction
def add(context: Any, one: Any, other: Any) -> Any:
    """Sums."""
    return _LANES(_LANES, _LANES), _on_lanes(2, lambda builder, a, b: builder.fadd(a, b, flags=_MERGED))


@instruction
def multiply(context: Any, one: Any, other: Any) -> Any:
    """Products."""
    return _LANES(_LANES, _LANES), _on_lanes(2, lambda builder, a, b: builder.fmul(a, b, flags=_MERGED))


@instruction
def divide(context: Any, one: Any, other: Any) -> Any:
    """Quotients."""
    return _LANES(_LANES, _LANES), _on_lanes(2, lambda builder, a, b: builder.fdiv(a, b))


@instruction
def greater(context: Any, one: Any, other: Any) -> Any:
    """The greater of each two."""
    return _LANES(_LANES, _LANES), _on_lanes(2, _greater)


def _greater(builder: Any, one: Any, other: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


@instruction
def if_greater(context: Any, one: Any, other: Any, then: Any, otherwise: Any) -> Any:
    """`then` where `one` is greater than `other`, and `otherwise` where it is not."""

    def build(builder: Any, one: Any, other: Any, then: Any, otherwise: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", one, other), then, otherwise)

    return _LANES(_LANES, _LANES, _LANES, _LANES), _on_lanes(4, build)


@instruction
def exponential(context: Any, lanes: Any) -> Any:
    """e to powers that are not above 0, with a relative error of some 1e-7; 0 below -87."""
    return _LANES(_LANES), _on_lanes(1, _exponential)


def _exponential(builder: Any, power: Any) -> Any:
    def constant(value: float) -> Any:
        return ir.Constant(_FLOATS, [value] * LANES)

    def fused(a: Any, b: Any, c: Any) -> Any:
        return builder.fadd(builder.fmul(a, b, flags=_MERGED), c, flags=_MERGED)

    is_normal = builder.fcmp_ordered(">=", power, constant(_LEAST_EXPONENT))
    power = builder.select(is_normal, power, constant(_LEAST_EXPONENT))
    # Cut off towards 0, which rounds a number that is not positive once a half is taken off.
    whole = builder.fptosi(fused(power, constant(_LOG2_E), constant(-0.5)), _INTEGERS)
    number = builder.sitofp(whole, _FLOATS)
    rest = fused(number, constant(-_LN_2_LOW), fused(number, constant(-_LN_2_HIGH), power))
    series = constant(_POLYNOMIAL[0])
    for factor in _POLYNOMIAL[1:]:
        series = fused(series, rest, constant(factor))
    series = fused(series, builder.fmul(rest, rest), builder.fadd(rest, constant(1.0)))
    bits = builder.add(whole, ir.Constant(_INTEGERS, [_BIAS] * LANES))
    scale = builder.bitcast(builder.shl(bits, ir.Constant(_INTEGERS, [_MANTISSA_BITS] * LANES)), _FLOATS)
    return builder.select(is_normal, builder.fmul(series, scale), constant(0.0))


@instruction
def sum_of(context: Any, lanes: Any) -> Any:
    """The sum of all lanes."""

    def build(builder: Any, lanes: Any) -> Any:
        return _halved(builder, lanes, lambda a, b: builder.fadd(a, b, flags=_REORDERED))

    return types.float32(_LANES), _on_lanes(1, build)


@instruction
def greatest_of(context: Any, lanes: Any) -> Any:
    """The greatest of all lanes."""

    def build(builder: Any, lanes: Any) -> Any:
        return _halved(builder, lanes, lambda a, b: _greater(builder, a, b))

    return types.float32(_LANES), _on_lanes(1, build)


def _halved(builder: Any, lanes: Any, join: Callable[[Any, Any], Any]) -> Any:
    """Join the halves of a vector until one number is left."""
    width = LANES
    while width > 1:
        width //= 2
        undefined = ir.Constant(lanes.type, ir.Undefined)
        low, high = (
            builder.shuffle_vector(
                lanes, undefined, ir.Constant(ir.VectorType(_INTEGER, width), list(range(start, start + width)))
            )
            for start in (0, width)
        )
        lanes = join(low, high)
    return builder.extract_element(lanes, ir.Constant(_INTEGER, 0))
