"""The sentence that says how to install what reading files needs."""

from r_memory.errors import ConfigurationError

EXTRA = "documents"


def missing(what: str) -> ConfigurationError:
    """The error for something that cannot be read without the optional packages."""
    return ConfigurationError(f"{what} cannot be read without the extra '{EXTRA}'; pip install 'r-memory[{EXTRA}]'")
