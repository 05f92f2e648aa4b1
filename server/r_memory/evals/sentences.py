"""Suite `sentences`: each utterance alone, about a subject of its own, against the facts it must and must not give.

The file is YAML: `sentences: [{id, text, expect: [{r, o, status, …attributes, alt: […]}], allow: […], forbid: […]}]`;
`o: "*"` is any object. Older files say `HAS_CONTRAINDICATION` for `IS_CONTRAINDICATED_WITH`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r_memory.config.files import Source
from r_memory.config.yaml_lines import load
from r_memory.domain.facts import Fact, Flag, Status
from r_memory.errors import InvalidInput
from r_memory.evals.dialogues import each
from r_memory.evals.measures import Figure, count, share
from r_memory.memory import Memory
from r_memory.record.results import Remembered

_RENAMED = {"HAS_CONTRAINDICATION": "IS_CONTRAINDICATED_WITH"}
_RISK = {Status.ACTIVE, Status.UNCONFIRMED}
_SAFE = {Status.NEGATED, Status.REFUTED, Status.RESOLVED}
_TOLERATED = "TOLERATES"
_NOT_ATTRIBUTES = frozenset({"r", "o", "s", "status", "alt"})

Expected = Mapping[str, Any]
Predicted = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one sentence came to."""

    id: str
    right: bool
    missed: tuple[str, ...] = ()
    """Risks that were expected and not found, as `RELATION object`."""
    silent: tuple[str, ...] = ()
    """Those of them that did not even give a review item."""
    risks: int = 0
    forbidden: tuple[str, ...] = ()
    reassuring: tuple[str, ...] = ()
    """Facts that speak against a risk (or for tolerance) and were not expected."""
    unexpected: tuple[str, ...] = ()


def rows(path: Path) -> list[dict[str, Any]]:
    """The sentences of a file.

    Raises:
        InvalidInput: no such file, or not of this form.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist; give a YAML file of sentences with --data")
    data = load(Source(path=path, relative=path.name, content=path.read_bytes())).data
    if not isinstance(data, dict) or not isinstance(data.get("sentences"), list):
        raise InvalidInput(f"{path}: expected a list under `sentences:`")
    return [dict(item) for item in data["sentences"] if isinstance(item, dict)]


async def run(memory: Memory, items: Sequence[dict[str, Any]], *, done: Callable[[], None]) -> list[dict[str, Any]]:
    """One prediction for each sentence: `{id, facts, review}`."""

    async def one(item: dict[str, Any]) -> dict[str, Any]:
        heard = await memory.remember(
            item["text"], subject=item["id"], subject_name=item["id"], speaker=item.get("speaker", "patient")
        )
        return {"id": item["id"], "facts": [_predicted(fact) for fact in heard.facts], "review": _review(heard)}

    return await each(items, one, done)


def judge(items: Iterable[dict[str, Any]], predictions: Iterable[dict[str, Any]]) -> list[Judgement]:
    """One judgement for each sentence."""
    by_id = {row["id"]: row for row in predictions}
    return [_judgement(item, by_id.get(item["id"], {"facts": [], "review": []})) for item in items]


def figures(judged: Sequence[Judgement]) -> tuple[Figure, ...]:
    """Items right, missed risks and how many of them silently, forbidden facts, false reassurances."""
    risks = sum(item.risks for item in judged)
    return (
        share("items right", sum(item.right for item in judged), len(judged)),
        share("risks missed", sum(len(item.missed) for item in judged), risks),
        count("risks missed silently", sum(len(item.silent) for item in judged), risks, aim="<= 3 per 50 risks"),
        count("forbidden facts", sum(len(item.forbidden) for item in judged), len(judged), aim="0"),
        count("false reassurances", sum(len(item.reassuring) for item in judged), len(judged), aim="0"),
    )


def _predicted(fact: Fact) -> dict[str, Any]:
    rule = Flag.RULE in fact.flags
    subject = str(fact.attrs.get("before", "")) if rule else "patient"
    status = "rule" if rule else fact.status.value
    attrs = dict(fact.attrs)
    return {
        "relation": fact.relation,
        "object": fact.object.id,
        "status": status,
        "subject": subject,
        "attrs": attrs,
    }


def _review(heard: Remembered) -> list[str]:
    return [result.text for result in heard.results if result.verdict == "quarantined"]


def _judgement(item: dict[str, Any], prediction: dict[str, Any]) -> Judgement:
    facts: list[Predicted] = prediction["facts"]
    expected: list[Expected] = item.get("expect") or []
    wanted = [option for fact in expected for option in (fact, *fact.get("alt", ()))]
    allowed = [*wanted, *(item.get("allow") or ())]
    missed = [fact for fact in expected if not any(_met(option, facts) for option in (fact, *fact.get("alt", ())))]
    missed_risks = [_name(fact) for fact in missed if fact["status"] in _RISK | {"rule"}]
    forbidden = [_shown(fact) for fact in facts if any(_is(ban, fact) for ban in item.get("forbid") or ())]
    extra = [fact for fact in facts if not any(_is(option, fact) for option in allowed)]
    reassuring = [_shown(fact) for fact in extra if fact["status"] in _SAFE or fact["relation"] == _TOLERATED]
    return Judgement(
        id=item["id"],
        right=not missed and not forbidden and not extra,
        missed=tuple(missed_risks),
        silent=() if prediction["review"] else tuple(missed_risks),
        risks=sum(fact["status"] in _RISK | {"rule"} for fact in expected),
        forbidden=tuple(forbidden),
        reassuring=tuple(reassuring),
        unexpected=tuple(_shown(fact) for fact in extra),
    )


def _met(option: Expected, facts: Iterable[Predicted]) -> bool:
    """Whether some fact is the one expected, with all its attributes."""
    return any(_is(option, fact) and _has_attributes(option, fact["attrs"]) for fact in facts)


def _is(option: Expected, fact: Predicted) -> bool:
    """Whether a fact is of the expected relation, object, status and subject, whatever its attributes."""
    return (
        _RENAMED.get(option["r"], option["r"]) == fact["relation"]
        and str(option["o"]).casefold() in {"*", str(fact["object"]).casefold()}
        and option.get("status", fact["status"]) == fact["status"]
        and _same_subject(option, fact)
    )


def _same_subject(option: Expected, fact: Predicted) -> bool:
    return "s" not in option or str(option["s"]).casefold() == str(fact["subject"]).casefold()


def _has_attributes(option: Expected, attrs: Mapping[str, Any]) -> bool:
    wanted = {name: value for name, value in option.items() if name not in _NOT_ATTRIBUTES}
    return all(_plain(attrs.get(name)) == _plain(value) for name, value in wanted.items())


def _plain(value: object) -> str:
    """Numbers and words in one form: 2.0 and 2 and "2" are the same."""
    return f"{value:g}" if isinstance(value, int | float) else str(value).casefold()


def _name(fact: Expected) -> str:
    return f"{_RENAMED.get(fact['r'], fact['r'])} {fact['o']}"


def _shown(fact: Predicted) -> str:
    return f"{fact['relation']} {fact['object']} {fact['status']}"
