"""What stands in a context after real dialogues, with long turns and without, and what the offline summary holds.

`python -m scripts.talk_measures evidence --data DIR --half unseen --tokens 200` tells the long conversations of LoCoMo
turn by turn and asks their questions; a turn is lengthened by turns of another conversation, which bear on nothing.
`... summary` prints, shuffled, the entries that stand in the offline summary every twenty turns, to be judged by eye.
"""

import argparse
import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any, cast

from r_memory.config.settings import Settings
from r_memory.domain.summaries import ConversationSummary, archived, merged
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory.text.tokens import count
from r_memory_lab.evals.contexts import ProbeInTalk, ToldTurn, probes
from r_memory_talk.opening import talks
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.summary.keeper import KEEP
from r_memory_talk.summary.local import proposed
from r_memory_talk.summary.rendering import section
from r_memory_talk.talk import Talk

DEVELOPED = ("locomo/conv-26", "locomo/conv-43", "scm/long_dialogue_en_003", "scm/long_dialogue_zh_001")
"""Conversations on which the rules were developed; all others are unseen."""
_NO_WISHES = SimpleNamespace(of=lambda _: None)
PROFILES = ("default", "mimir", "scm", "cim")


def main() -> None:
    """Prints the figures of one measure."""
    parser = argparse.ArgumentParser(description="Measures the conversational memory on real dialogues.")
    parser.add_argument("measure", choices=["evidence", "summary"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=["developed", "unseen"], default="unseen")
    parser.add_argument("--tokens", type=int, default=0, help="of a turn; 0 leaves them as they are")
    parser.add_argument("--profiles", default="default,mimir")
    given = parser.parse_args()
    by_name: defaultdict[str, list[ProbeInTalk]] = defaultdict(list)
    for probe in probes(given.data):
        by_name[probe.conversation].append(probe)
    mine = {name: of for name, of in by_name.items() if (name in DEVELOPED) == (given.half == "developed")}
    if given.measure == "summary":
        for line in entries(mine):
            print(line)
    else:
        long = {name: of for name, of in mine.items() if name.startswith("locomo")}
        others = [of[0].turns for name, of in by_name.items() if name.startswith("locomo")]
        asyncio.run(evidence(long, others, given.tokens, given.profiles.split(",")))


def a_talk() -> Talk:
    """Returns an empty conversational memory with the shipped judge, writers and modes, over dictionaries."""
    stream = DictStream()
    store = cast("Any", SimpleNamespace(stream=stream, conversations=DictConversations(stream)))
    over = talks(Settings(), store, embedder=WordLlamaEmbedder(), chat=None, clock=FixedClock())
    return over(
        cast("Any", SimpleNamespace(space="measured", remembering=SimpleNamespace(record=None), wishes=_NO_WISHES))
    )


def lengthened(turns: Sequence[ToldTurn], other: Sequence[ToldTurn], tokens: int) -> Iterator[ToldTurn]:
    """The turns, each of so many tokens at least: its answer goes on in words of another conversation."""
    more = itertools.cycle([turn.answered for turn in other])
    for turn in turns:
        answered = turn.answered
        while count(f"{turn.asked}\n{answered}") < tokens:
            answered = f"{answered} {next(more)}"
        yield turn.model_copy(update={"answered": answered})


async def evidence(
    by_name: Mapping[str, Sequence[ProbeInTalk]],
    others: Sequence[Sequence[ToldTurn]],
    tokens: int,
    profiles: Sequence[str],
) -> None:
    """Prints, by profile, the share of evidence turns that stand in the context, and the tokens of its sections."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    lengths: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for name, asked in by_name.items():
        other = next(turns for turns in others if turns[0].id != asked[0].turns[0].id)
        told, talk = tuple(lengthened(asked[0].turns, other, tokens)), a_talk().conversations
        for turn in told:
            await talk.finish(
                NewTurn(
                    conversation=name,
                    observation=turn.asked,
                    response=turn.answered,
                    speaker=turn.speaker,
                    responder=turn.responder,
                    key=turn.id,
                )
            )
        parts = {turn.id: turn.parts for turn in told}
        for probe, profile in itertools.product(asked, profiles):
            prepared = await talk.prepare(probe.question, name, profile=profile, probe=True)
            standing = {part for item in prepared.sections for id_ in item.ids for part in parts.get(id_, ())}
            found[profile].append(sum(part in standing for part in probe.evidence) / len(probe.evidence))
            lengths[profile, "all"].append(prepared.tokens)
            for item in prepared.sections:
                lengths[profile, item.part.value].append(item.tokens)
    for profile, shares in found.items():
        of = {part: sum(all_) / len(shares) for (name, part), all_ in lengths.items() if name == profile}
        print(f"{profile}: evidence {mean(shares):.3f} of {len(shares)}; tokens", {k: round(v) for k, v in of.items()})


def entries(by_name: Mapping[str, Sequence[ProbeInTalk]]) -> Iterator[str]:
    """Entries that stand in the summary, each once, shuffled: conversation, field, words."""
    seen: dict[str, None] = {}
    for name, asked in by_name.items():
        content = ConversationSummary()
        for number, turn in enumerate(asked[0].turns, start=1):
            content = archived(merged(content, proposed(content, turn.asked, turn.answered)), KEEP)
            if number % 20 == 0 or number == len(asked[0].turns):
                field = ""
                for line in section(content).splitlines():
                    field = field if line.startswith("- ") else line.split(" (")[0]
                    if line.startswith("- "):
                        seen[f"{name} | {field} | {line[2:]}"] = None
    return iter(random.Random(33).sample(sorted(seen), len(seen)))  # noqa: S311 - keeps no secret


if __name__ == "__main__":
    main()
