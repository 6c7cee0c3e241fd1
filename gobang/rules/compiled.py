"""Decorators and primitives of compiled code: `kernel` and `inlined`, bit instructions, a lock, arrays on the stack.

How it is compiled stands in `kernels`, where it is kept in `kernel_cache`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeVar, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from gobang.rules.kernels import Entry, Part

Function = TypeVar("Function", bound=Callable[..., Any])

# Sums may be reordered and NaN does not occur, so loops become vector code; infinities do occur.
_FAST_MATH = {"nnan", "nsz", "reassoc", "contract", "arcp"}

# Without numba's runtime (`_nrt`) arrays have no reference counts inside kernels.  Counting them took
# three quarters of a search's time.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": _FAST_MATH, "_nrt": False}


def kernel(function: Function) -> Function:
    """Compile on first use, cache on disk, release the GIL while running.

    A kernel makes no arrays and copies no slices: the caller passes what it writes to, or the
    kernel takes a `stack_array`.  It must not call itself, directly or in a ring.
    """
    return cast(Function, Entry(function, _OPTIONS))


def inlined(function: Function) -> Function:
    """A function for kernels alone that becomes part of each one that calls it, which spares passing many arrays."""
    return cast(Function, Part(function, {**_OPTIONS, "forceinline": True}))


def instruction(function: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's `intrinsic`: the function says which machine code a call becomes."""
    return cast("Callable[..., Any]", intrinsic(function))


@instruction
def lowest_bit(context: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint32 that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint32(types.uint32), generate


@instruction
def lowest_bit_of_64(context: Any, word: Any) -> Any:
    """Index of the lowest set bit of a uint64 that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@instruction
def count_bits(context: Any, word: Any) -> Any:
    """Number of bits of a uint32 that are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint32(types.uint32), generate


@instruction
def try_lock(context: Any, lock: Any) -> Any:
    """Write 1 to an int32 array of one element, and return what stood there: 0 if the lock was free."""

    return types.int32(lock), _swap(1, "acquire")


@instruction
def unlock(context: Any, lock: Any) -> Any:
    """Write 0 there; all that was written before is seen by who locks it next."""

    return types.int32(lock), _swap(0, "release")


def _swap(value: int, order: str) -> Callable[..., Any]:
    """The code that writes a value to the first element of an int32 array and gives back what stood there, at once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = make_array(signature.args[0])(context, builder, args[0])
        return builder.atomic_rmw("xchg", array.data, ir.Constant(ir.IntType(32), value), order)

    return generate


def stack_array(kind: Any, shape: tuple[int, ...]) -> Callable[[], NDArray[Any]]:
    """An intrinsic that gives a kernel an array on the stack, not cleared and gone when it returns."""
    array_type = types.Array(kind, len(shape), "C")

    @intrinsic
    def take(context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            item = context.get_abi_sizeof(context.get_data_type(kind))
            sizes = [context.get_constant(types.intp, size) for size in shape]
            steps = [context.get_constant(types.intp, item * prod(shape[axis + 1 :])) for axis in range(len(shape))]
            array = make_array(array_type)(context, builder)
            populate_array(
                array,
                data=cgutils.alloca_once(builder, context.get_data_type(kind), size=prod(shape)),
                shape=cgutils.pack_array(builder, sizes),
                strides=cgutils.pack_array(builder, steps),
                itemsize=context.get_constant(types.intp, item),
                meminfo=None,
            )
            return array._getvalue()

        return array_type(), generate

    return cast("Callable[[], NDArray[Any]]", take)
