"""How far a run is: a bar on standard error, or below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

WIDTH = 24
"""Signs of the bar in a terminal."""

PATIENCE = 0.5
"""Seconds that a run may take before a bar appears."""

PARTS = " ▏▎▍▌▋▊▉"


@contextmanager
def watcher(progress: Any, total: int | None) -> Iterator[Callable[[int], None] | None]:
    """What the engine tells how many rows are done; nothing where nobody wants to know."""
    if progress is None:
        progress = is_interactive()
    if not progress:
        yield None
    elif callable(progress):
        yield lambda done: progress(done, total)
    else:
        bar = Bar(total)
        try:
            yield bar.update
        finally:
            bar.close()


def is_interactive() -> bool:
    """Whether a person waits at a prompt: in a notebook, in IPython, in `python -i`."""
    return _is_notebook() or ((hasattr(sys, "ps1") or _shell() is not None) and sys.stderr.isatty())


def _shell() -> Any:
    """The shell of IPython, where the program runs in one. It is not imported for that."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get() if get is not None else None


def _is_notebook() -> bool:
    return type(_shell()).__name__ == "ZMQInteractiveShell"


class Bar:
    """Rows done, rows in all where they are known, and the rate."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._done = 0
        self._begun = time.monotonic()
        self._display: Any = None
        self._is_shown = False
        self._is_notebook = _is_notebook()

    def update(self, done: int) -> None:
        """Takes in how many rows are done."""
        self._done = done
        if time.monotonic() - self._begun >= PATIENCE:
            self._show()

    def close(self) -> None:
        """Leaves the last state on the screen; nothing where the run was short."""
        if self._is_shown:
            self._show()
            if not self._is_notebook:
                print(file=sys.stderr)

    def text(self) -> str:
        """The bar in a line."""
        seconds = max(time.monotonic() - self._begun, 1e-9)
        rate = self._done / seconds
        passed = f"{_time(seconds)}, {rate:,.0f} rows/s" if rate >= 10 else f"{_time(seconds)}, {rate:.1f} rows/s"
        if not self._total:
            return f"probare: {self._done:,} rows [{passed}]"
        share = min(self._done / self._total, 1.0)
        eighths = round(share * WIDTH * 8)
        bar = ("█" * (eighths // 8) + PARTS[eighths % 8]).ljust(WIDTH)[:WIDTH]
        left = f", {_time((self._total - self._done) / rate)} left" if 0 < self._done < self._total else ""
        return f"probare: {share:4.0%} |{bar}| {self._done:,} of {self._total:,} rows [{passed}{left}]"

    def _show(self) -> None:
        self._is_shown = True
        if not self._is_notebook:
            sys.stderr.write(f"\r\x1b[2K{self.text()}" if sys.stderr.isatty() else f"\r{self.text()}")
            sys.stderr.flush()
            return
        from IPython.display import display

        shown = _Shown(self.text())
        if self._display is None:
            self._display = display(shown, display_id=True)
        else:
            self._display.update(shown)


class _Shown:
    """A line that a notebook shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
