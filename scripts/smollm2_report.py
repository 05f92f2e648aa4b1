"""Runs the real SmolLM2 over sentence files and says what it did to the memory.

It guesses freely, so the figure that matters is how many wrong certain facts it leaves behind. `--state` keeps what
was measured, one line a sentence, so that a run can be broken off and gone on with. It holds numbers and ids only.
"""

import argparse
import asyncio
import json
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from r_memory.domain.facts import Fact, Flag, Route, Status
from r_memory.protocols import ChatMessage, ChatReply, ReplyForm
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat
from r_memory.wiring import SystemClock
from r_memory_lab.evals.sentences import GoldSentence, rows
from scripts.smollm2 import NAME, smollm2
from tests.model_world import Practice, model_route

OTHER_SCHEMAS = ("law", "finance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One sentence."""

    file: str
    id: str
    seconds: float
    failed: bool
    valid: bool
    """The answer was JSON as it came."""
    refused: int
    model_only: int
    disagree: int
    active: int
    added: int
    """Certain facts, for or against, that the rules alone do not give."""
    lost: int
    """Active facts of the rules alone that are no longer active."""
    wrong: int
    """Active facts that nobody expects, model or not."""


class Listening:
    """The model; remembers the text of its last answer."""

    def __init__(self, chat: OpenAIChat) -> None:
        self.name = chat.name
        self.last = ""
        self._chat = chat

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        """The model's answer."""
        self.last = ""
        reply = await self._chat.reply(messages, form=form)
        self.last = reply.text
        return reply


def main() -> None:
    """Reads the arguments, runs, prints the report."""
    parser = argparse.ArgumentParser(description="The real SmolLM2 over sentence files.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--state", type=Path, required=True, help="where measurements are kept; they are not repeated")
    parser.add_argument("--minutes", type=float, default=60, help="stop after this long")
    parser.add_argument("--every", type=int, default=1, help="take every n-th sentence")
    parser.add_argument("--threads", type=int, default=2, help="1 on a machine that has other work")
    parser.add_argument("--report", type=Path, help="also write it here")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    asyncio.run(_run(asked.files, asked.state, asked.minutes * 60, asked.every, asked.threads))
    chosen = sum(len(rows(file)[:: asked.every]) for file in asked.files)
    text = _report(list(_kept(asked.state)), asked.files, asked.every, chosen)
    print(text)
    if asked.report:
        asked.report.write_text(text, encoding="utf-8")


def _kept(state: Path) -> Iterator[Measured]:
    if state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            yield Measured(**json.loads(line))


async def _run(files: Sequence[Path], state: Path, limit_s: float, every: int, threads: int) -> None:
    known = {(row.file, row.id) for row in _kept(state)}
    chosen = [(file, sentence) for file in files for sentence in rows(file)[::every]]
    todo = [(file, sentence) for file, sentence in chosen if (file.name, sentence.id) not in known]
    if not todo:
        return
    with smollm2(threads=threads) as url:
        end = time.monotonic() + limit_s
        chat = OpenAIChat(ModelEndpoint(url=url, model=NAME, limit_s=600), clock=SystemClock())
        for file, sentence in todo:
            if time.monotonic() > end:
                break
            measured = await _measured(sentence, file, Listening(chat))
            with state.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(measured)) + "\n")
        await chat.close()


async def _measured(sentence: GoldSentence, file: Path, chat: Listening) -> Measured:
    schema = next((name for name in OTHER_SCHEMAS if name in file.name), "clinical")
    alone, helped = Practice(None, schema), Practice(chat, schema)
    await alone.hear(sentence.text, speaker=sentence.speaker)
    began = time.monotonic()
    remembered = await helped.hear(sentence.text, speaker=sentence.speaker)
    seconds = time.monotonic() - began
    events = [event for event in await helped.store.events(helped.john.uid) if event.route is Route.MODEL]
    without, with_ = _certain(await alone.facts()), _certain(await helped.facts())
    active = [name for name, status in with_.items() if status is Status.ACTIVE]
    taken = model_route(remembered)
    return Measured(
        file=file.name,
        id=sentence.id,
        seconds=round(seconds, 2),
        failed=bool(taken.failed),
        valid=_is_json(chat.last),
        refused=len(taken.rejected),
        model_only=sum(Flag.MODEL_ONLY in event.flags for event in events),
        disagree=sum(Flag.DISAGREE in event.flags for event in events),
        active=len(active),
        added=sum(without.get(name) is not status for name, status in with_.items()),
        lost=sum(status is Status.ACTIVE and with_.get(name) is not status for name, status in without.items()),
        wrong=sum(not _expected(name, sentence) for name in active),
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _certain(facts: Sequence[Fact]) -> Mapping[tuple[str, str], Status]:
    """Every fact that claims to be sure, for or against."""
    return {(fact.relation, fact.object.id): fact.status for fact in facts if fact.status is not Status.UNCONFIRMED}


def _expected(name: tuple[str, str], sentence: GoldSentence) -> bool:
    readings = [reading for fact in sentence.expect for reading in fact.readings]
    return any(
        reading.r == name[0] and reading.o.casefold() in {"*", name[1]} and reading.status in {"", Status.ACTIVE}
        for reading in (*readings, *sentence.allow)
    )


def _report(rows_: Sequence[Measured], files: Sequence[Path], every: int, chosen: int) -> str:
    seconds = sorted(row.seconds for row in rows_) or [0.0]
    named = " ".join(f".../{file.name}" if file.is_absolute() else str(file) for file in files)
    table = {
        "sentences measured, of those chosen": f"{len(rows_)} of {chosen}",
        "seconds per sentence, median and p95": f"{seconds[len(seconds) // 2]} and {seconds[int(len(seconds) * 0.95)]}",
        "answers that were valid JSON as they came": str(sum(row.valid for row in rows_)),
        "sentences it failed on, so that the offline result stood": _ids(rows_, "failed"),
        "proposals that the validator refused": str(sum(row.refused for row in rows_)),
        "facts that it alone read: stored unconfirmed, flag model_only": str(sum(row.model_only for row in rows_)),
        "facts that the rules read otherwise: stored unconfirmed, flag disagree": str(sum(r.disagree for r in rows_)),
        "active facts in all": str(sum(row.active for row in rows_)),
        "**facts stored as certain, for or against, because of the model**": _ids(rows_, "added"),
        "**active facts of the rules that are no longer active because of the model**": _ids(rows_, "lost"),
        "active facts that nobody expects, each the rules' own": _ids(rows_, "wrong"),
    }
    return "\n".join(
        [
            f"# The real {NAME} on the model route",
            "",
            "```console",
            f"$ python -m scripts.smollm2_report {named} --every {every} --state FILE",
            "```",
            "",
            "135 million parameters that keep to a form and otherwise guess, behind llama.cpp's own server, on two",
            "shared cores: the seconds are an upper bound. What matters is what it cannot do to the memory.",
            "",
            "| what | number |",
            "|---|---|",
            *(f"| {what} | {number} |" for what, number in table.items()),
            "",
        ]
    )


def _ids(rows_: Sequence[Measured], name: str) -> str:
    """How many in all, and in which sentences."""
    found = [row for row in rows_ if getattr(row, name)]
    return f"{sum(getattr(row, name) for row in found)}" + (f" ({', '.join(r.id for r in found)})" if found else "")


if __name__ == "__main__":
    main()
