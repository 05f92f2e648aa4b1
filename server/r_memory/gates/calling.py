"""The caller's side of the line between `r-memory hook` and a running server: what a client waits for at each prompt.

It needs a socket and a hash of the standard library alone, and gives up without a word: the hook then opens the memory
itself. An answer is what goes to standard output and standard error, and the exit code; nobody reads it here.
"""

import hashlib
import os
import socket

from r_memory.config.places import user_place

MOST_INPUT = 2 * 1024 * 1024
"""Most bytes of an event."""
GREETING = b"r-memory hooks 2\n"
_GREETING_S, _ANSWER_S = 1.0, 50.0


def asked(event: str, given: bytes) -> tuple[int, bytes, bytes] | None:
    """Returns exit code, output and errors that a running server gives for an event; `None` if no server answers."""
    if not hasattr(socket, "AF_UNIX") or len(given) > MOST_INPUT:
        return None
    with socket.socket(socket.AF_UNIX) as line:
        try:
            place = meeting_place(os.environ)
            if os.stat(place).st_uid != os.getuid():  # noqa: PTH116 - as in `places.py`
                return None
            line.settimeout(_GREETING_S)
            line.connect(place)
            with line.makefile("rwb") as stream:
                if stream.readline() != GREETING:
                    return None
                line.settimeout(_ANSWER_S)
                stream.write(f"{len(given)} {event}\n".encode())
                stream.write(given)
                stream.flush()
                code, out, said = map(int, stream.readline().split())
                answer = code, stream.read(out), stream.read(said)
        except (OSError, ValueError):
            return None
    return answer if (len(answer[1]), len(answer[2])) == (out, said) else None


def meeting_place(environ: "os._Environ[str] | dict[str, str]") -> str:
    """Returns the socket path for servers and hooks with the same installed code and the same settings."""
    given = sorted(f"{name}={value}" for name, value in environ.items() if name.startswith("R_MEMORY_"))
    code = os.stat(__file__)  # noqa: PTH116
    same = "\0".join([__file__, str(code.st_mtime_ns), user_place("data"), *given])
    folder = os.path.expanduser(environ.get("R_MEMORY_CACHE_DIR") or user_place("cache"))  # noqa: PTH111
    name = hashlib.sha256(same.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(os.path.abspath(folder), "hooks", name)  # noqa: PTH100, PTH118
