"""`docs/reference/knowledge/`: what the clinical pack says, one page a class, for a pharmacist to read and correct.

`python -m scripts.knowledge_pages` writes the pages; git does not keep them.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.domain.facts import HAS_INGREDIENT, Entity
from r_memory.domain.knowledge import CROSS_REACTS_WITH, MEMBER_OF, Knowledge, Link

FOLDER = Path(__file__).parents[1] / "docs" / "reference" / "knowledge"
INDEX, UNCLASSED, CONDITIONS = "README.md", "without-a-class.md", "by-condition.md"
_CONDITIONS = frozenset({"Condition", "Policy"})
_STEPS = {MEMBER_OF: 9}
_WARNING = (
    "Made by `python -m scripts.knowledge_pages` from `schema/lexicon` and `schema/knowledge`.\n"
    "**No pharmacist has reviewed it**; *unreviewed* marks what nobody has held against its source either.\n"
)


def pages() -> dict[str, str]:
    """Name of each file to its text: one a class, one for what belongs to none, and the index."""
    pack = load_domain(Files(home=None), "clinical").knowledge
    classes = sorted({link.end for link in pack.links if link.relation == MEMBER_OF}, key=lambda uid: _name(pack, uid))
    made = {f"{_slug(_name(pack, uid))}.md": _page(pack, uid) for uid in classes}
    return {INDEX: _index(pack, classes), **made, UNCLASSED: _unclassed(pack), CONDITIONS: _by_condition(pack)}


def _index(pack: Knowledge, classes: Iterable[str]) -> str:
    rows = [
        f"| [{_name(pack, uid)}]({_slug(_name(pack, uid))}.md) | {_kinds(pack, uid)} | {len(_members(pack, uid))} |"
        for uid in classes
    ]
    head = f"# The clinical pack, class by class\n\n{_WARNING}\n| class | belongs to | members |\n|---|---|---|\n"
    return head + "\n".join(rows) + f"\n\n[Without a class]({UNCLASSED}) · [By condition]({CONDITIONS}).\n"


def _page(pack: Knowledge, uid: str) -> str:
    entity = pack.concepts[uid]
    parts = [f"# {entity.name}\n", _WARNING]
    if entity.aliases:
        parts.append(f"Other words: {', '.join(entity.aliases)}.\n")
    if above := _kinds(pack, uid):
        parts.append(f"Belongs to: {above}.\n")
    rows = [_row(pack, link) for link in sorted(_members(pack, uid), key=lambda link: _name(pack, link.start))]
    parts.append("| member | other names and brands | contains | other classes | |\n|---|---|---|---|---|")
    parts.append("\n".join(rows) + "\n")
    parts += _listed("Cross-reactivity", (_crossing(pack, link) for link in _rows(pack, uid, CROSS_REACTS_WITH)))
    parts += _listed("Rules", (_rule(pack, link) for link in _rows(pack, uid, "", but=CROSS_REACTS_WITH)))
    return "\n".join(parts).rstrip() + "\n"


def _unclassed(pack: Knowledge) -> str:
    """Substances that meet only themselves: nothing says what they are related to or made of."""
    alone = sorted(
        entity.name
        for entity in pack.concepts.values()
        if entity.type == "Drug" and not any(pack.upward(entity.uid, {MEMBER_OF: 1, HAS_INGREDIENT: 1}).values())
    )
    return f"# Without a class\n\n{_WARNING}\nKnown by name only:\n\n" + "\n".join(f"- {name}" for name in alone) + "\n"


def _by_condition(pack: Knowledge) -> str:
    """Which rules each condition, and each policy such as a limit of the kidneys, has, by tier."""
    found: dict[str, dict[str, list[str]]] = {}
    for rule in pack.rules:
        told = f" ({rule.action})" if rule.action else ""
        for here, there in ((rule.end, rule.start), (rule.start, rule.end)):
            for uid in here.concepts if rule.tier else ():
                if uid.split("/")[1] in _CONDITIONS:
                    tiers = found.setdefault(pack.name_of(uid), {})
                    tiers.setdefault(rule.tier, []).extend(f"{pack.name_of(other)}{told}" for other in there.concepts)
    head = f"# The clinical pack, condition by condition\n\n{_WARNING}\n"
    head += "| condition | A: stop | B: care | C: disputed |\n|---|---|---|---|\n"
    rows = (
        f"| {name} | {' | '.join(', '.join(dict.fromkeys(tiers.get(tier, ()))) for tier in 'ABC')} |"
        for name, tiers in sorted(found.items())
    )
    return head + "\n".join(rows) + "\n"


def _row(pack: Knowledge, link: Link) -> str:
    entity = pack.concepts[link.start]
    contained = (_contained(pack, each) for each in pack.outgoing(entity.uid, HAS_INGREDIENT))
    others = (_linked(pack, each.end) for each in pack.outgoing(entity.uid, MEMBER_OF) if each.end != link.end)
    name = _linked(pack, entity.uid) if pack.incoming(entity.uid, MEMBER_OF) else entity.name
    cells = (name, ", ".join(entity.aliases), "; ".join(contained), ", ".join(others), _review(link))
    return f"| {' | '.join(cells)} |"


def _contained(pack: Knowledge, link: Link) -> str:
    grounds = [f"tier {link.tier}", link.condition, link.action] if link.tier else []
    told = ", ".join(filter(None, grounds))
    return f"{_name(pack, link.end)}{f' ({told})' if told else ''}"


def _crossing(pack: Knowledge, link: Link) -> str:
    return f"from {_name(pack, link.start)} to {_name(pack, link.end)}: {_grounds(link)}"


def _rule(pack: Knowledge, link: Link) -> str:
    return f"`{link.relation}` {_name(pack, link.start)} with {_name(pack, link.end)}: {_grounds(link)}"


def _grounds(link: Link) -> str:
    told = (f"tier {link.tier}", link.rate, link.condition and f"if {link.condition}", link.action, link.source)
    return "; ".join([*filter(None, told), *filter(None, [_review(link)])])


def _rows(pack: Knowledge, uid: str, relation: str, *, but: str = "") -> Iterator[Link]:
    """Graded rows about the class or one of its own members, each once, in the order of the pack."""
    own = {uid, *(link.start for link in _members(pack, uid))}
    for link in pack.links:
        wanted = link.relation == relation if relation else link.relation not in {but, MEMBER_OF, HAS_INGREDIENT}
        if wanted and link.tier and (link.start in own or link.end in own):
            yield link


def _members(pack: Knowledge, uid: str) -> tuple[Link, ...]:
    return pack.incoming(uid, MEMBER_OF)


def _kinds(pack: Knowledge, uid: str) -> str:
    return ", ".join(_linked(pack, above) for above, path in pack.upward(uid, _STEPS).items() if path)


def _linked(pack: Knowledge, uid: str) -> str:
    return f"[{_name(pack, uid)}]({_slug(_name(pack, uid))}.md)"


def _name(pack: Knowledge, uid: str) -> str:
    entity: Entity = pack.concepts[uid]
    return entity.name


def _review(link: Link) -> str:
    return "" if link.reviewed else "*unreviewed*"


def _listed(title: str, items: Iterable[str]) -> list[str]:
    told = list(dict.fromkeys(items))
    return [f"## {title}\n", "\n".join(f"- {item}." for item in told) + "\n"] if told else []


@cache
def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
