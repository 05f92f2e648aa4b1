"""Standard input and output: whatever they are, every line arrives whole, once, and in order."""

import asyncio
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from r_memory.serving.tools.lines import answers_to, lines_of, whole_characters

LONG = "ä" * 200_000


def pipe(_: Path) -> tuple[int, int]:
    return os.pipe()


def sockets(_: Path) -> tuple[int, int]:
    """As Node.js gives them to a child."""
    one, other = socket.socketpair()
    return one.detach(), other.detach()


def file(folder: Path) -> tuple[int, int]:
    path = folder / "said"
    inward = os.open(path, os.O_CREAT | os.O_WRONLY)
    return os.open(path, os.O_RDONLY), inward


def said(descriptor: int, *parts: bytes) -> None:
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        for part in parts:
            file.write(part)


async def read(descriptor: int) -> list[str]:
    try:
        return [line.rstrip("\n") async for line in lines_of(descriptor)]
    finally:
        os.close(descriptor)


@pytest.mark.anyio
@pytest.mark.parametrize("between", [pipe, sockets, file])
async def test_every_line_is_read_whole_however_it_comes(
    between: Callable[[Path], tuple[int, int]], tmp_path: Path
) -> None:
    ours, theirs = between(tmp_path)
    parts = (
        b"on",
        b"e\n\ngr\xc3",
        b"\xb6\xc3\x9fer\nnot \xff UTF-8\n",
        f"{LONG}\n".encode(),
        rb'"\ud800"',
        b"\nno end",
    )

    if between is file:
        said(theirs, *parts)
        lines = await read(ours)
    else:
        lines, _ = await asyncio.gather(read(ours), asyncio.to_thread(said, theirs, *parts))

    assert lines == ["one", "", "größer", "not \ufffd UTF-8", LONG, r'"\ufffd"', "no end"]


@pytest.mark.anyio
@pytest.mark.parametrize("between", [pipe, sockets, file])
async def test_an_answer_waits_for_a_client_that_reads_late(
    between: Callable[[Path], tuple[int, int]], tmp_path: Path
) -> None:
    """More than a pipe holds; and meanwhile the event loop has time for others."""
    theirs, ours = between(tmp_path)
    writing = asyncio.create_task(written(ours, LONG, "last"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    if between is file:
        await writing

    got = await asyncio.to_thread(everything, theirs)
    await writing

    assert got == f"{LONG}\nlast\n"


async def written(descriptor: int, *answers: str) -> None:
    out = answers_to(descriptor)
    for answer in answers:
        await out.write(f"{answer}\n")
        await out.flush()
    os.close(descriptor)


def everything(descriptor: int) -> str:
    with os.fdopen(descriptor, "rb") as file:
        return file.read().decode()


@pytest.mark.anyio
async def test_a_client_that_left_is_noticed() -> None:
    """The server ends then, instead of answering nobody."""
    theirs, ours = os.pipe()
    os.close(theirs)

    with pytest.raises(BrokenPipeError):
        await answers_to(ours).write("hello\n")
    os.close(ours)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("\U0001f600", "\U0001f600"),
        ("a\ud800b", "a\ufffdb"),
        ("\udc00\ud800", "\ufffd\ufffd"),
        ("\ud800\ud83d\ude00", "\ufffd\U0001f600"),
        ("\\ud800", "\\ud800"),
        ("\\\ud800", "\\\ufffd"),
        ('"\n\\', '"\n\\'),
    ],
)
def test_only_lone_halves_of_surrogate_pairs_are_replaced(text: str, expected: str) -> None:
    assert json.loads(whole_characters(json.dumps(text))) == expected


def test_a_line_without_escapes_is_not_touched() -> None:
    line = '{"text": "größer"}\n'
    assert whole_characters(line) is line
