"""Reads one file and prints its words as JSON: the process that may be ended. No part of the public command line."""

import json
import sys
from pathlib import Path

from r_memory.errors import ConfigurationError, InvalidInput
from r_memory.talk.documents.reading.files import as_json, read_data

MEMORY = 3 << 30
"""Bytes that the process may ask for, where the system keeps such limits."""


def main() -> None:
    """Prints the reading of the file that is named, or why there is none."""
    _limit_memory()
    path = Path(sys.argv[1])
    try:
        told = as_json(read_data(path.read_bytes(), path.name))
    except ConfigurationError as error:
        told = {"configuration": str(error)}
    except InvalidInput as error:
        told = {"error": str(error)}
    except (MemoryError, RecursionError) as error:
        told = {"error": f"{path.name} needs too much memory ({type(error).__name__}); split it, or save its text"}
    sys.stdout.write(json.dumps(told))


def _limit_memory() -> None:
    try:
        # Not there on Windows.
        import resource  # noqa: PLC0415

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        return


if __name__ == "__main__":
    main()
