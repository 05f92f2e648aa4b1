"""Where a user's own files lie. Imports nothing but `os` and `sys`: what only asks a running server needs no more."""

import os
import sys

_USUAL = {"data": ".local/share", "cache": ".cache"}
_MAC = {"data": "Library/Application Support", "cache": "Library/Caches"}


def user_place(kind: str) -> str:
    """Returns the user's folder for `data`, or for `cache`, as the system or `XDG_*` defines it."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib takes longer to load than all of this
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")  # noqa: PTH118
        return os.path.join(local, "r-memory", *(() if kind == "data" else ("Cache",)))  # noqa: PTH118
    usual = _MAC if sys.platform == "darwin" else _USUAL
    named = os.environ.get(f"XDG_{kind.upper()}_HOME", "")
    root = named if os.path.isabs(named) else os.path.join(home, usual[kind])  # noqa: PTH117, PTH118
    return os.path.join(root, "r-memory")  # noqa: PTH118
