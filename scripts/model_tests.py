"""The tests of the memory that need a language model, against any OpenAI-compatible address: T-3, T-4 and T-21.

Without an address, the real SmolLM2 of the dependency group `model` is started on this machine. Two hosted models are
stood in for by doubles that speak the same protocol in their own manners; no hosted API is asked, and nothing is kept.
`python -m scripts.model_tests [--url URL --model NAME] --report FILE`; a key is read from R_MEMORY_MODEL_KEY.
"""

import argparse
import asyncio
import itertools
import logging
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from r_memory.config.files import Files
from r_memory.config.prompt_file import GATE, SUFFICES, load_prompt
from r_memory.errors import ModelError
from r_memory.protocols import ChatModel, Judge
from r_memory.providers import ModelEndpoint
from r_memory.providers.openai import OpenAIChat
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.wiring import SystemClock
from r_memory_lab.evals.answering import FORMS, QUESTIONS, Decided, ProfileScore, answered, decided, kappa, tell_facts
from r_memory_lab.evals.multiturn import SETS, Aptitude, Setting, Sharded, aptitude, attempt, averaged, recovered
from r_memory_lab.evals.rows import read_rows
from r_memory_talk.asking import ChatJudge
from r_memory_talk.conversations import Conversations
from r_memory_talk.profiles import PROFILES
from r_memory_talk.shortening import ExtractiveShortener
from r_memory_talk.stream.stream import Stream
from r_memory_talk.summary.keeper import SummaryKeeper
from r_memory_talk.summary.local import LocalSummaryWriter
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Tiers
from scripts.smollm2 import NAME, smollm2
from tests.chat_server import Answer, Sent, chat_server, says

ROOT = Path(__file__).parents[1]
SPACE = "model-tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a run came to."""

    decided: tuple[Decided, ...]
    answered: tuple[ProfileScore, ...]
    settings: Mapping[Setting, Aptitude]
    unanswered: Mapping[Setting, int]
    """Runs to which the model gave no answer; they count as 0, which says nothing about its answers."""
    seconds: float


def main() -> None:
    """Reads the arguments, runs, prints the report."""
    parser = argparse.ArgumentParser(description="Tests of the memory that need a language model.")
    parser.add_argument("--url", default="", help="base address up to /v1; without it SmolLM2 is started here")
    parser.add_argument("--model", default=NAME)
    parser.add_argument("--tasks", type=int, default=8, help="tasks of T-21")
    parser.add_argument("--runs", type=int, default=1, help="runs of each task; the paper's were 10")
    parser.add_argument("--facts", type=int, default=None, help="questions of T-4; all of them without it")
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds for one answer; a local model's first may take a minute"
    )
    parser.add_argument("--report", type=Path, help="also write it here")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    with _address(asked.url) as url:
        endpoint = ModelEndpoint(
            url=url, model=asked.model, key=os.environ.get("R_MEMORY_MODEL_KEY", ""), limit_s=asked.limit, retries=0
        )
        measured = asyncio.run(measure(endpoint, tasks=asked.tasks, runs=asked.runs, facts=asked.facts))
    options = (
        f" --model {asked.model}" * bool(asked.url)
        + f" --tasks {asked.tasks} --runs {asked.runs} --limit {asked.limit:g}"
    )
    options += f" --facts {asked.facts}" * (asked.facts is not None)
    text = report(measured, command=f"python -m scripts.model_tests{' --url URL' * bool(asked.url)}{options}")
    print(text)
    if asked.report:
        asked.report.write_text(text, encoding="utf-8")


async def measure(endpoint: ModelEndpoint, *, tasks: int, runs: int, facts: int | None = None) -> Measured:
    """Everything with one model, and the two doubles beside it as controllers."""
    began = time.monotonic()
    async with AsyncExitStack() as stack:
        chats = [await stack.enter_async_context(_chat(item)) for item in (*stack.enter_context(_hosted()), endpoint)]
        judges = [_judge(chat) for chat in chats]
        controllers = [await decided(judge) for judge in judges]
        chat, talks = chats[-1], conversations(judges[-1])
        await tell_facts(talks, "facts")
        forms = [await answered(chat, talks, "facts", way, most=facts) for way in FORMS]
        settings, unanswered = await _multiturn(chat, judges[-1], tasks=tasks, runs=runs)
    return Measured(
        decided=tuple(controllers),
        answered=tuple(forms),
        settings=settings,
        unanswered=unanswered,
        seconds=time.monotonic() - began,
    )


def conversations(judge: Judge) -> Conversations:
    """An empty conversational memory in this process, whose controller is the model and whose writers are local."""
    store, numbers, clock = DictStream(), itertools.count(1), SystemClock()
    kept = DictConversations(store)
    stream = Stream(
        space=SPACE, store=store, embedder=WordLlamaEmbedder(), clock=clock, new_id=lambda: f"item-{next(numbers)}"
    )
    shortener = ExtractiveShortener()
    return Conversations(
        stream=stream,
        store=kept,
        judge=judge,
        keeper=SummaryKeeper(
            store=kept,
            writer=LocalSummaryWriter(),
            clock=clock,
            space=SPACE,
            turns=lambda name, subject_uid: stream.conversation(name, subject_uid=subject_uid),
        ),
        shortener=shortener,
        tiers=Tiers(stream, LocalMemoryWriter(shortener)),
        clock=clock,
        new_id=lambda: f"decision-{next(numbers)}",
        profiles={**PROFILES, **FORMS},
    )


async def _multiturn(
    chat: ChatModel, judge: Judge, *, tasks: int, runs: int
) -> tuple[dict[Setting, Aptitude], dict[Setting, int]]:
    chosen = read_rows(ROOT / "evals" / "sets" / SETS, Sharded)[:tasks]
    found, unanswered = {}, {}
    for setting in Setting:
        each = [[await _scored(chat, judge, task, setting) for _ in range(runs)] for task in chosen]
        found[setting] = averaged([aptitude([score or 0.0 for score in scores]) for scores in each])
        unanswered[setting] = sum(score is None for scores in each for score in scores)
    return found, unanswered


async def _scored(chat: ChatModel, judge: Judge, task: Sharded, setting: Setting) -> float | None:
    """`None` where the model gave no answer."""
    try:
        return await attempt(chat, task, setting, conversations(judge), name=task.id)
    except ModelError:
        return None


def _judge(chat: ChatModel) -> ChatJudge:
    return ChatJudge(chat, load_prompt(Files(), GATE), load_prompt(Files(), SUFFICES))


@asynccontextmanager
async def _chat(endpoint: ModelEndpoint) -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat(endpoint, clock=SystemClock())
    try:
        yield chat
    finally:
        await chat.close()


@contextmanager
def _address(url: str) -> Iterator[str]:
    if url:
        yield url
    else:
        with smollm2() as local:
            yield local


@contextmanager
def _hosted() -> Iterator[tuple[ModelEndpoint, ModelEndpoint]]:
    """Doubles of two hosted models: one answers by the letter, one explains itself, errs once and evades once."""
    texts = list(QUESTIONS)
    with chat_server(_by_letter) as first, chat_server(_in_words(texts[0], texts[-1])) as second:
        yield (
            ModelEndpoint(url=first.url, model="double that answers by the letter"),
            ModelEndpoint(url=second.url, model="double that explains itself"),
        )


def _by_letter(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
    says("(A)" if _needed(sent) else "(B)")(handler, sent)


def _in_words(wrong: str, evaded: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, sent: Sent) -> None:
        text = sent["messages"][-1]["content"]
        if evaded in text:
            says("That depends on what you have in mind.")(handler, sent)
        else:
            letter = "A" if _needed(sent) is not (wrong in text) else "B"
            says(f"Answer: ({letter})")(handler, sent)

    return answer


def _needed(sent: Sent) -> bool:
    text = sent["messages"][-1]["content"]
    return next((needed for question, needed in QUESTIONS.items() if question in text), True)


def report(measured: Measured, *, command: str) -> str:
    """A page of numbers."""
    n = len(QUESTIONS)
    controllers = [
        f"| {item.by} | {item.right} of {n} | {len(item.failures)} | "
        + " | ".join(f"{kappa(item.answers, other.answers):.2f}" for other in measured.decided)
        + " |"
        for item in measured.decided
    ]
    forms = [
        f"| {item.way} | {item.right} of {item.asked} | {item.tokens} | {item.forms['raw']} / "
        f"{item.forms['summary']} / {item.forms['dropped']} | {item.parse_failures} | {item.trouble} |"
        for item in measured.answered
    ]
    full, sharded = measured.settings[Setting.FULL].performance, measured.settings[Setting.SHARDED].performance
    settings = []
    for name, one in measured.settings.items():
        share = recovered(full=full, sharded=sharded, other=one.performance)
        shown = "-" if share is None or name in {Setting.FULL, Setting.SHARDED} else f"{100 * share:.0f} %"
        settings.append(
            f"| {name} | {one.performance:.1f} | {one.aptitude:.1f} | {one.unreliability:.1f} | {shown} | "
            f"{measured.unanswered[name]} |"
        )
    return "\n".join(
        [
            "# The tests that need a model",
            "",
            "```console",
            f"$ {command}",
            "```",
            "",
            f"{measured.seconds:.0f} s in all. The last controller is the model behind the address; the two before it",
            "are doubles that speak the protocol, not hosted models: their figures show that the way is the same one.",
            "Between back-ends nothing differs but address, name and key: 0 lines of code.",
            "",
            "## T-3: controllers",
            "",
            "| controller | right (no answer counts as yes) | no usable answer | " + " | ".join(
                f"kappa with {place}" for place in range(1, len(controllers) + 1)) + " |",
            "|---" * (3 + len(controllers)) + "|",
            *controllers,
            "",
            *(f"Not answered by {item.by}: {'; '.join(item.failures)}" for item in measured.decided if item.failures),
            "",
            "## T-4: forms of activated items",
            "",
            "| way | answers right | tokens of all contexts | raw / summary / dropped | parse failures | no answer |",
            "|---|---|---|---|---|---|",
            *forms,
            "",
            "## T-21: one instruction in pieces",
            "",
            "| setting | P | A90 | U | share of the loss that is won back | runs without an answer |",
            "|---|---|---|---|---|---|",
            *settings,
            "",
        ]
    )  # fmt: skip


if __name__ == "__main__":
    main()
