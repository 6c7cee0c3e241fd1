"""Kernels as numba sees them: parts, which are never compiled by themselves, and entries, which are whole programs.

Numba optimises each function by itself, then again inside each that calls it, and so on: most
of the time of compiling goes into code that nobody runs.  Here the functions that a kernel
calls are parts: they are brought into LLVM's language and no further.  An entry, a kernel that
Python calls, links all parts below it and is optimised and compiled as one.

A part is made once for each choice of argument types; whatever integers a caller has, a parameter
that is annotated `int` is an int64, and one annotated `float` a float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import binding
from numba.core import compiler, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.dispatcher import _FunctionCompiler
from numba.core.registry import CPUDispatcher

from gobang.rules.kernel_cache import KernelCache

_FROM_PYTHON: Final = "_ZN7cpython"  # begins the name of the function that Python calls


class _PartLibrary(JITCodeLibrary):
    """A part's code, which waits to be linked."""

    def finalize(self) -> None:
        """Leave the code as it is."""
        self._finalized = True

    def add_linking_library(self, library: Any) -> None:
        """Note which code this part calls."""
        self._linking_libraries.append(library)

    def _get_module_for_linking(self) -> Any:
        return self._final_module


class _EntryLibrary(JITCodeLibrary):
    """An entry's code, with that of all parts below it."""

    def add_linking_library(self, library: Any) -> None:
        """Link a part and those that it calls."""
        if library in self._linking_libraries:
            return
        library._ensure_finalized()
        self._linking_libraries.append(library)
        if isinstance(library, _PartLibrary):
            for below in library._linking_libraries:
                self.add_linking_library(below)

    def _optimize_final_module(self) -> None:
        """Optimise once, and keep only what Python calls.

        Numba does it twice, to find reference counts that cancel out; kernels have none.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and not function.name.startswith(_FROM_PYTHON):
                function.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def _get_module_for_linking(self) -> Any:
        """What is kept beside the machine code: the names that it defines, as nothing is ever linked with an entry."""
        named = [each.name for each in self._final_module.functions if each.name.startswith(_FROM_PYTHON)]
        return binding.parse_assembly("\n".join(f'define void @"{name}"() {{ ret void }}' for name in named))


def _pipeline(library_class: type) -> type:
    """Numba's compiler, with another class of library."""

    class Pipeline(compiler.Compiler):
        def __init__(self, typing_context: Any, target_context: Any, library: Any, *others: Any) -> None:
            super().__init__(typing_context, target_context, library, *others)
            self.state.library = library_class(target_context.codegen(), library_class.__name__)
            self.state.library.enable_object_caching()

    return Pipeline


class _PartCompiler(_FunctionCompiler):
    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        return flags


class Part(CPUDispatcher):
    """A function that only kernels call."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={**options, "nopython": True})
        pipeline = _pipeline(_PartLibrary)
        self._compiler = _PartCompiler(function, self.targetdescr, self.targetoptions, self.locals, pipeline)

    def _compile_for_args(self, *arguments: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} is for kernels alone: call it from one")

    def add_overload(self, compiled: Any) -> None:
        """Make the part known to those that call it, by its library."""
        self.overloads[tuple(compiled.signature.args)] = compiled
        self.targetctx.insert_user_function(compiled.library, compiled.fndesc, [compiled.library])

    def get_overload(self, arguments: Any) -> Any:
        """By what the part with these types of arguments is known."""
        return self.overloads[tuple(arguments)].library

    def get_call_template(self, arguments: Any, keywords: Any) -> tuple[Any, Any, Any, Any]:
        """How a kernel calls this with its types of arguments."""
        signature, folded = self._compiler.fold_argument_types(arguments, keywords)
        declared = tuple(map(_declared_type, signature.parameters.values(), folded))
        self.compile(declared)
        found = self.overloads[declared].signature
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=[found]), signature, declared, {}


def _declared_type(parameter: Any, given: Any) -> Any:
    given = types.unliteral(given)
    if parameter.annotation == "int" and isinstance(given, types.Integer):
        return types.int64
    if parameter.annotation == "float" and isinstance(given, (types.Integer, types.Float)):
        return types.float64
    return given


class Entry(CPUDispatcher):
    """A kernel that Python calls; for kernels that call it, it is a part."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        options = {**options, "nopython": True}
        super().__init__(
            function, targetoptions={**options, "no_cfunc_wrapper": True}, pipeline_class=_pipeline(_EntryLibrary)
        )
        self._part = Part(function, options)
        self._cache = KernelCache(function, options)

    def compile(self, signature: Any) -> Any:
        """Load the machine code for types of arguments, or compile it."""
        with self._cache.one_process_at_a_time(signature, self.targetctx):
            return super().compile(signature)

    def get_call_template(self, arguments: Any, keywords: Any) -> tuple[Any, Any, Any, Any]:
        """How a kernel calls this with its types of arguments."""
        template: tuple[Any, Any, Any, Any] = self._part.get_call_template(arguments, keywords)
        return template

    def get_overload(self, arguments: Any) -> Any:
        """By what the part with these types of arguments is known."""
        return self._part.get_overload(arguments)
