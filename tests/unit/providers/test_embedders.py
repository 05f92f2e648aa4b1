"""Every embedder: rows in order, a name that is stored with them, and errors that cost no item."""

import json
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from r_memory.errors import BadReply, ConfigurationError, ModelError, ModelRefused, ModelUnavailable
from r_memory.protocols import Embedder
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIEmbedder
from r_memory.providers.sentence_model import SentenceEmbedder
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.testing.hash_embedder import HashEmbedder
from tests.chat_server import Answer, ChatServer, Sent, body, chat_server, drops, hangs, refuses, write

pytestmark = pytest.mark.anyio


def vectors(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
    """Of each text its length and its place; told backwards, for a server may."""
    data = [
        {"object": "embedding", "index": n, "embedding": [float(len(text)), float(n)]}
        for n, text in enumerate(sent["input"])
    ]
    write(handler, 200, json.dumps({"object": "list", "data": data[::-1], "model": sent["model"]}))


@asynccontextmanager
async def an_embedder(
    *answers: Answer, limit_s: float = 60, retries: int = 0
) -> AsyncIterator[tuple[OpenAIEmbedder, ChatServer]]:
    with chat_server(*answers) as server:
        embedder = OpenAIEmbedder(
            ModelEndpoint(url=server.url, model="tiny", key="sk-canary-4711", limit_s=limit_s, retries=retries)
        )
        try:
            yield embedder, server
        finally:
            await embedder.close()


@pytest.mark.parametrize("embedder", [WordLlamaEmbedder(), HashEmbedder()], ids=["wordllama", "hashing"])
async def test_like_texts_are_near_and_nothing_is_zeros(embedder: Embedder) -> None:
    rows = await embedder.embed(["the red boat sails", "a red boat sailed", "interest rates", "", "…"])
    assert rows.shape == (5, embedder.dimensions)
    assert (bool(np.isfinite(rows).all()), bool(rows[3].any())) == (True, False)
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    assert float(unit[0] @ unit[1]) > float(unit[0] @ unit[2])
    assert (await embedder.embed([])).shape == (0, embedder.dimensions)


async def test_the_built_in_embedder_reaches_for_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refused)
    embedder = WordLlamaEmbedder()
    assert (await embedder.embed(["penicillin"])).any()
    assert embedder.model.startswith("wordllama/0.4")


async def test_a_server_gives_rows_in_the_order_of_the_texts_in_parts() -> None:
    async with an_embedder(vectors) as (embedder, server):
        rows = await embedder.embed(["a" * (n % 7 + 1) for n in range(150)])
        assert (await embedder.embed([])).shape == (0, 2)
    assert [int(row[0]) for row in rows] == [n % 7 + 1 for n in range(150)]
    assert [len(request["input"]) for request in server.requests] == [128, 22]
    assert {request["encoding_format"] for request in server.requests} == {"float"}
    assert server.headers[0]["authorization"] == "Bearer sk-canary-4711"
    assert (embedder.model, embedder.dimensions) == ("openai/tiny", 2)


async def test_an_empty_text_is_sent_as_a_blank() -> None:
    async with an_embedder(vectors) as (embedder, server):
        await embedder.embed(["", "x"])
    assert server.requests[0]["input"] == [" ", "x"]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refuses(401, "sk-canary-4711 is wrong"), ModelRefused),
        (refuses(404, "no such model"), ModelRefused),
        (refuses(503, "busy"), ModelUnavailable),
        (drops, ModelUnavailable),
        (hangs, ModelUnavailable),
        (body("<html>", kind="text/html"), BadReply),
        (body('{"data": []}'), BadReply),
        (body('{"data": [{"index": 0, "embedding": "AAAA"}]}'), BadReply),
        (body('{"data": [{"index": 0, "embedding": []}]}'), BadReply),
    ],
    ids=["key", "model", "busy", "dropped", "hangs", "page", "missing", "base64", "empty"],
)
async def test_what_goes_wrong_is_named_without_the_key_or_the_words(answer: Answer, error: type[ModelError]) -> None:
    async with an_embedder(answer, limit_s=0.5) as (embedder, _):
        with pytest.raises(error) as caught:
            await embedder.embed(["I am allergic to penicillin."])
    assert "canary" not in str(caught.value)
    assert "penicillin" not in str(caught.value)


async def test_vectors_of_two_lengths_in_one_answer_are_refused() -> None:
    uneven = body('{"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]}')
    async with an_embedder(uneven) as (embedder, _):
        with pytest.raises(BadReply, match="different lengths"):
            await embedder.embed(["a", "b"])


async def test_a_folder_of_sentence_transformers_is_read_from_disk_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []

    class Model:
        """Stands in for the package, which brings five gigabytes."""

        def __init__(self, folder: str, *, local_files_only: bool) -> None:
            asked.append((folder, local_files_only))
            if "broken" in folder:
                raise OSError("no config.json")

        def encode(self, texts: Sequence[str], *, show_progress_bar: bool) -> list[list[float]]:
            assert not show_progress_bar
            return [[1.0, float(len(text)), 0.0] for text in texts]

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Model))
    for name in ("mini", "broken"):
        (tmp_path / name).mkdir()
    embedder = SentenceEmbedder(str(tmp_path / "mini"))
    assert (await embedder.embed(["ab", "abc"])).tolist() == [[1.0, 2.0, 0.0], [1.0, 3.0, 0.0]]
    assert (embedder.model, embedder.dimensions) == ("sentence-transformers/mini", 3)
    assert asked == [(str(tmp_path / "mini"), True)]
    with pytest.raises(ConfigurationError, match="holds no sentence-transformers model"):
        await SentenceEmbedder(str(tmp_path / "broken")).embed(["x"])


async def test_a_missing_package_or_folder_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ConfigurationError, match="pip install"):
        await SentenceEmbedder(str(tmp_path)).embed(["x"])
    with pytest.raises(ConfigurationError, match="no folder nowhere"):
        SentenceEmbedder(str(tmp_path / "nowhere"))
