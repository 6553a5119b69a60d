"""The command line, run inside the module of the wheel."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Does what the command line asks for and ends with its code."""
    from probare import _probare

    # The engine hears Ctrl-C by itself; where it does not, the program ends at once as any other does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_probare.command_line(["probare", *sys.argv[1:]]))
