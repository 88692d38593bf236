"""The native part: commands of the command line, in this process."""

__version__: str

def command(words: list[str], stdin: bytes, folder: str) -> tuple[int, bytes, bytes]:
    """Runs a command. Gives its exit code, its output and its errors. Python's lock is free meanwhile.

    Raises:
        RuntimeError: on a mistake of tir-analyzer that no smaller guard caught.
    """

def program(words: list[str]) -> int:
    """The program, its name first in `words`, on the streams of this process. Gives the exit code."""
