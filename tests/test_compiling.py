"""The notice that kernels are compiled."""

from __future__ import annotations

import io

import pytest

from gobang.compiling import NOTICE, IsCold, Notice, compiling, is_watching, refuses_to_compile, with_notice


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_gets_one_line_however_many_kernels_there_are() -> None:
    log = io.StringIO()
    with with_notice(log):
        for kernel in ("first", "second"):
            with compiling(kernel):
                pass
    assert log.getvalue() == f"{NOTICE}\n"


def test_nothing_is_said_when_nothing_is_compiled() -> None:
    stream = Terminal()
    with with_notice(stream):
        pass
    with compiling("after"):
        pass
    assert stream.getvalue() == ""


def test_a_terminal_shows_what_is_compiled_and_is_clean_afterwards() -> None:
    terminal = Terminal()
    with is_watching(Notice(terminal)):
        with compiling("first"):
            pass
        with compiling("second"):
            assert terminal.getvalue().endswith(f"\r\x1b[K{NOTICE}; 1 done, now second")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_beside_a_bar_a_terminal_gets_a_line_too() -> None:
    terminal = Terminal()
    with with_notice(terminal, beside_a_bar=True), compiling("first"):
        assert terminal.getvalue() == f"{NOTICE}\n"


def test_compiling_can_be_refused() -> None:
    with pytest.raises(IsCold, match="first"), refuses_to_compile(), compiling("first"):
        pass
    with compiling("second"):
        pass
