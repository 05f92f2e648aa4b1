"""A reader of files that asks for more memory than it may have; run as a module."""

from typing import NoReturn

from r_memory.documents.files import MEMORY, print_reading


def _read(data: bytes, name: str) -> NoReturn:
    raise AssertionError(f"{name}: {len(data) + len(bytearray(MEMORY))} bytes could be had")


if __name__ == "__main__":
    print_reading(_read)
