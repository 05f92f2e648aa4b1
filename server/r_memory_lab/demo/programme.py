"""What the demo prints, act by act. Pure text."""

import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from r_memory.serving.tools.models import ContextOut, ResultOut
from r_memory_lab.demo.claims import Promise
from r_memory_lab.demo.play import DAYS, FirstHalf, SecondHalf
from r_memory_lab.demo.story import Story, StoryPatient

_INDENT = "   "


def intake_text(story: Story, home: Path) -> str:
    """Returns the text of the first act, before anything has happened."""
    who = f"{story.subject.name} ({story.subject.id})"
    return (
        f"r-memory demo, on the folder {home}\n\n"
        f"1. {DAYS} days ago, a server of its own process is told about {who}:\n"
        f'{_INDENT}{story.intake.speaker}: "{story.intake.text}"'
    )


def talk_text(story: Story, told: FirstHalf) -> str:
    """Returns the result of the intake, the talk after it, and the kill."""
    verdicts = Counter(result.verdict for outcome in told.rest for result in outcome.results)
    became = ", ".join(f"{verdicts[name]} {name}" for name in ("stored", "duplicate", "waits") if verdicts[name])
    each = 1000 * told.seconds / max(len(told.rest), 1)
    return "\n".join(
        [
            *(f"{_INDENT}{_result(result)}" for result in told.intake.results),
            "",
            f"2. {len(told.rest)} turns of other talk follow, about this and {len(story.others)} other patients:",
            f"{_INDENT}told in {told.seconds:.1f} s ({each:.0f} ms a turn); facts: {became or 'none'}",
            "",
            f"3. The server is killed (process {told.killed}, no farewell) and another one started.",
        ]
    )


def asked_text(asked: SecondHalf, audit_name: str, audit: str) -> str:
    """Returns the answer, its receipt, and the queries behind it."""
    context = asked.evidence.context
    return "\n".join(
        [
            f"{_INDENT}it answers after {asked.start_seconds:.1f} s",
            "",
            "4. SecondHalf, it puts this in front of the request:",
            "",
            context.block,
            "",
            f"5. The receipt {context.receipt_id}",
            f"{_INDENT}records that {_shown(context)} shown at {context.checked_at}.",
            "",
            "6. The Cypher that was run:",
            "",
            context.traversal.rstrip() or "(none)",
            "",
            f"7. An audit that anybody may run, also in Neo4j Browser ({audit_name}):",
            "",
            audit,
        ]
    )


def closing_text(kept: Iterable[Promise], seconds: float) -> str:
    """Returns the promises and the time."""
    lines = [f"{_INDENT}{'ok    ' if claim.holds else 'FAILED'}  {claim.text}" for claim in kept]
    return "\n".join(["", "Checked:", *lines, f"{_INDENT}{seconds:.1f} s in all"])


def next_text(home: Path, subject: StoryPatient, context: ContextOut, audit_name: str) -> str:
    """Returns commands to continue with this data."""
    here = ["--home", str(home)]
    about = ["--subject", subject.id, *here]
    fact = [["history", context.lines[0].fact_id[:8], *here]] if context.lines else []
    commands: Sequence[Sequence[str]] = (
        ["facts", *about],
        *fact,
        ["remember", "I get hives from ibuprofen.", *about],
        ["recall", "Can he take naproxen for his knee?", *about],
        ["audit", *here],
        ["audit", audit_name, *here],
        ["verify", *here],
    )
    lines = [f"{_INDENT}{shlex.join([*program(), *command])}" for command in commands]
    return "\n".join(["", f"Try next, on the same folder ({home}, yours to delete):", *lines])


def program() -> list[str]:
    """Returns the command of this program."""
    if shutil.which("r-memory"):
        return ["r-memory"]
    own = Path(sys.argv[0])
    return [str(own)] if own.stem == "r-memory" else [sys.executable, "-m", "r_memory.cli"]


def _shown(context: ContextOut) -> str:
    facts = len({line.fact_id for line in context.lines})
    return "1 fact was" if facts == 1 else f"{facts} facts were"


def _result(result: ResultOut) -> str:
    if not result.fact_id:
        return f"{result.verdict}: {result.reason}"
    details = [f"{name} {value}" for name, value in sorted(result.attrs.items())]
    parts = [f"{result.verdict}: {result.relation} {result.object}", result.status, *details]
    return " · ".join([*parts, f"fact {result.fact_id[:8]}"])
