"""The program: `tir-analyzer`, and `python -m tir_analyzer`."""

import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of this process."""
    return _native.program(["tir-analyzer", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
