"""A caller reads the words itself, and each fact that it gives gets its fate: over MCP, as a model calls.

Issue "Listening": one call, the table beside the local reader, and each kind of bad input.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio
ALLERGY, TAKES, IMPLANT, TOLERATES = "HAS_ALLERGY_TO", "TAKES", "HAS_IMPLANTS", "TOLERATES"


def fact(relation: str, thing: str, evidence: str, status: str = "active", **more: object) -> dict[str, object]:
    """A fact as a caller gives it."""
    return {"relation": relation, "object": thing, "evidence": evidence, "status": status, **more}


@dataclass(frozen=True, slots=True)
class Caller:
    """A client that tells of a new person with every statement."""

    assistant: Assistant
    numbers: Iterator[int]

    async def tells(
        self, text: str, facts: Sequence[object] | None, **more: object
    ) -> tuple[list[Mapping[str, Any]], Mapping[str, Any], str]:
        """The fates of the given facts in their order, the whole result, and whom it was about."""
        who = f"P{next(self.numbers)}"
        given = {} if facts is None else {"facts": facts}
        out = await self.assistant.call(
            "memory_remember", text=text, subject=who, subject_name=f"Person {who}", **given, **more
        )
        answered = sorted((each for each in out["results"] if each.get("given")), key=lambda each: each["given"])
        return answered, out, who

    async def stored(self, who: str) -> set[tuple[str, str, str]]:
        """Relation, name and status of everything that is recorded."""
        listed = await self.assistant.call("memory_list_facts", subject=who)
        return {(each["relation"], each["object"].casefold(), each["status"]) for each in listed["facts"]}


@pytest.fixture(scope="module")
async def caller(standing: Installation) -> AsyncIterator[Caller]:
    async with in_a_task_of_its_own(standing.client()) as assistant:
        yield Caller(assistant, count())


async def test_a_right_reading_is_stored_as_it_was_given(caller: Caller) -> None:
    text = "Penicillin nearly killed me, and it was my ex-wife who had the latex allergy, not me."
    given = [
        fact(ALLERGY, "Penicillin", "Penicillin nearly killed me", attrs={"severity": "severe"}),
        fact(ALLERGY, "latex", "it was my ex-wife who had the latex allergy, not me", "negated"),
    ]

    fates, _, who = await caller.tells(text, given)

    assert [(fate["verdict"], fate["status"], fate.get("reason", "")) for fate in fates] == [
        ("stored", "active", ""),
        ("stored", "negated", ""),
    ]
    assert await caller.stored(who) == {(ALLERGY, "penicillin", "active"), (ALLERGY, "latex", "negated")}


async def test_a_medicine_that_is_stopped_is_stored_as_ended(caller: Caller) -> None:
    """H13: it stood as active, with verdict `stored` and no reason."""
    said = "Stop taking: warfarin 5 mg daily."

    fates, _, who = await caller.tells(said, [fact(TAKES, "warfarin", said[:-1], "resolved")])

    assert (fates[0]["verdict"], fates[0]["status"]) == ("stored", "resolved")
    assert await caller.stored(who) == {(TAKES, "warfarin", "resolved")}


@pytest.mark.parametrize("thing", ["potassium", "Potassium"])
async def test_a_value_that_the_caller_read_meets_the_rules_as_one_that_was_read_here(
    caller: Caller, thing: str
) -> None:
    """The word alone also names what is taken; the relation says that it was measured."""
    said = "Potassium came back at 6.4 tonight."

    fates, _, who = await caller.tells(said, [fact("HAS_MEASUREMENT", thing, said[:-1], attrs={"value": 6.4})])

    assert (fates[0]["verdict"], fates[0]["status"]) == ("stored", "active")
    assert ("HAS_MEASUREMENT", "potassium level", "active") in await caller.stored(who)
    context = await caller.assistant.call("memory_build_context", query="Start spironolactone 25 mg.", subject=who)
    assert "DOMAIN RULE: Spironolactone: not with Potassium" in context["block"]


async def test_absent_empty_and_filled_mean_three_things(caller: Caller) -> None:
    words = "I am allergic to peanuts."

    _, _, unread = await caller.tells(words, None)
    _, nothing, empty = await caller.tells(words, [])
    _, _, filled = await caller.tells(words, [fact(ALLERGY, "peanuts", "allergic to peanuts")])

    assert await caller.stored(unread) == {(ALLERGY, "peanut", "active")}
    assert await caller.stored(empty) == set()
    assert nothing["pending"] == 1
    context = await caller.assistant.call("memory_build_context", query="A snack for the flight?", subject=empty)
    assert words in context["block"]
    draft = await caller.assistant.call("memory_check_text", text="Peanut butter on toast.", subject=empty)
    assert draft["verdict"] != "nothing_found"
    assert await caller.stored(filled) == {(ALLERGY, "peanut", "active")}


async def test_small_talk_that_was_read_leaves_nothing_to_wait_for(caller: Caller) -> None:
    _, out, who = await caller.tells("The garden looks lovely after the rain, thanks for asking!", [])

    assert out["results"] == []
    assert out["pending"] == 0
    assert await caller.stored(who) == set()


async def test_a_plain_risk_read_as_denied_is_not_stored_and_keeps_its_edge_in_view(caller: Caller) -> None:
    said = "I am allergic to eggs."

    fates, _, who = await caller.tells(said, [fact(ALLERGY, "eggs", "I am allergic to eggs", "negated")])
    context = await caller.assistant.call("memory_build_context", query="Cake with eggs for tea?", subject=who)

    assert fates[0]["verdict"] == "waits"
    assert await caller.stored(who) == set()
    assert "allergic to eggs" in context["block"]
    assert f"{ALLERGY} not asked" not in context["block"]
    assert f"{ALLERGY} none" not in context["block"]


async def test_no_absence_of_a_whole_scope_rests_on_the_callers_word(caller: Caller) -> None:
    fates, _, who = await caller.tells(
        "Nothing special about me.", [fact(ALLERGY, "any", "Nothing special", "negated")]
    )

    assert fates[0]["verdict"] == "waits"
    assert await caller.stored(who) == set()


async def test_words_that_say_none_plainly_are_an_absence_of_the_scope(caller: Caller) -> None:
    """H15: it was stored as an absence of chlorpheniramine."""
    said = "No allergies that I know of."

    fates, _, who = await caller.tells(said, [fact(ALLERGY, "allergies", said[:-1], "negated")])

    assert fates[0]["verdict"] == "stored"
    assert {(relation, status) for relation, _, status in await caller.stored(who)} == {(ALLERGY, "negated")}
    assert not any("chlor" in name for _, name, _ in await caller.stored(who))


async def test_one_bad_fact_refuses_no_other(caller: Caller) -> None:
    text = "I am allergic to penicillin and I take ramipril."
    given = [
        fact("EATS", "penicillin", "allergic to penicillin"),
        {"relation": ALLERGY, "object": "penicillin"},
        fact(ALLERGY, "penicillin", "words that nobody said"),
        fact(ALLERGY, "penicillin", "allergic to penicillin", bogus=True),
        fact(ALLERGY, "penicillin", "allergic to penicillin", "allergisch"),
        "penicillin",
        fact(TAKES, "ramipril", "I take ramipril", attrs={"colour": "blue"}),
        fact(ALLERGY, "penicillin", "allergic to penicillin"),
        fact(ALLERGY, "penicillin", "allergic to penicillin"),
    ]

    fates, _, who = await caller.tells(text, given)

    assert [fate["given"] for fate in fates] == list(range(1, 10))
    verdicts = [fate["verdict"] for fate in fates]
    assert verdicts[1] == verdicts[2] == verdicts[3] == verdicts[5] == "rejected"
    assert verdicts[0] in {"waits", "rejected"}
    assert verdicts[4] in {"waits", "rejected"}
    assert verdicts[6:] == ["stored", "stored", "stored"] or verdicts[6:] == ["stored", "stored", "duplicate"]
    assert ALLERGY in fates[0]["reason"]
    assert "evidence" in fates[1]["reason"]
    assert "word for word" in fates[2]["reason"]
    assert "bogus" in fates[3]["reason"]
    assert "active" in fates[4]["reason"]
    assert "colour" in fates[6]["reason"]
    assert {(ALLERGY, "penicillin", "active"), (TAKES, "ramipril", "active")} <= await caller.stored(who)


async def test_more_facts_than_a_call_takes_are_named_and_the_first_are_kept(caller: Caller) -> None:
    text = "I take " + ", ".join(f"drug{number}" for number in range(51)) + " and ramipril."
    given = [fact(TAKES, "ramipril", "and ramipril")] * 51

    fates, _, who = await caller.tells(text, given)

    assert fates[0]["verdict"] == "stored"
    assert fates[50]["verdict"] == "rejected"
    assert "another call" in fates[50]["reason"]
    assert (TAKES, "ramipril", "active") in await caller.stored(who)


async def test_facts_beside_a_question_only_take_no_risk_away_and_the_words_are_kept(caller: Caller) -> None:
    said = "Am I allergic to penicillin?"

    fates, out, who = await caller.tells(said, [fact(ALLERGY, "penicillin", "allergic to penicillin")])
    denied, _, other = await caller.tells(said, [fact(ALLERGY, "penicillin", "allergic to penicillin", "negated")])

    listed = await caller.assistant.call("memory_list_facts", subject=who)
    assert (fates[0]["verdict"], fates[0]["status"]) == ("stored", "unconfirmed")
    assert await caller.stored(who) == {(ALLERGY, "penicillin", "unconfirmed")}
    assert all("disagree" in each.get("flags", []) for each in listed["facts"])
    assert out["episode_id"]
    # A question takes no risk away.
    assert denied[0]["verdict"] in {"waits", "rejected"}
    assert await caller.stored(other) == set()
    found = await caller.assistant.call("memory_search", query=said, subject=who)
    assert any("allergic to penicillin" in hit["text"] for hit in found["hits"])


async def test_an_assistants_sentence_is_no_evidence(caller: Caller) -> None:
    said = "You are not allergic to latex."

    fates, _, who = await caller.tells(said, [fact(ALLERGY, "latex", said[:-1], "negated")], role="assistant")

    assert fates[0]["verdict"] == "rejected"
    assert "no evidence" in fates[0]["reason"]
    assert await caller.stored(who) == set()


async def test_an_absence_out_of_a_quotation_waits(caller: Caller) -> None:
    said = 'The leaflet says "no allergy to latex is known".'

    fates, _, who = await caller.tells(said, [fact(ALLERGY, "latex", "no allergy to latex is known", "negated")])

    assert fates[0]["verdict"] == "waits"
    assert await caller.stored(who) == set()


async def test_a_label_with_its_answer_is_the_persons_own_word(caller: Caller) -> None:
    said = "Pacemaker: no. Latex: no."
    given = [fact(IMPLANT, "Pacemaker", "Pacemaker: no", "negated"), fact(ALLERGY, "Latex", "Latex: no", "negated")]

    fates, _, who = await caller.tells(said, given)

    assert [fate["verdict"] for fate in fates] == ["stored", "stored"]
    assert await caller.stored(who) == {(IMPLANT, "pacemaker", "negated"), (ALLERGY, "latex", "negated")}


async def test_a_tolerance_needs_no_word_of_denial_and_closes_nothing(caller: Caller) -> None:
    said = "Cod I have every Friday."

    fates, _, who = await caller.tells(said, [fact(TOLERATES, "Cod", said[:-1])])

    assert fates[0]["verdict"] == "stored"
    assert {(relation, status) for relation, _, status in await caller.stored(who)} == {(TOLERATES, "active")}


async def test_unset_arguments_may_be_null_empty_or_an_empty_list(caller: Caller) -> None:
    """H19: some clients send every argument."""
    out = await caller.assistant.call(
        "memory_remember",
        text="I am allergic to kiwi.",
        subject="NULLS",
        subject_name="Nora Null",
        facts=None,
        another_than=[],
        role="",
        speaker=None,
        conversation_id=None,
        reply="",
        said_at=None,
        idempotency_key="",
        dry_run=None,
    )
    context = await caller.assistant.call(
        "memory_build_context", query="Fruit salad?", subject="NULLS", intents=None, conversation_id="", sections=[]
    )

    assert out["results"][0]["verdict"] == "stored"
    assert "kiwi" in context["block"].casefold()


async def test_the_tool_that_went_names_the_call_that_is_left(caller: Caller) -> None:
    told = await caller.assistant.refused("memory_record_facts", text="I like tea.", subject="P0", facts=[])

    assert "memory_remember" in told
    assert "facts" in told


async def test_a_reading_that_comes_later_is_one_more_voice_and_lowers_nothing(caller: Caller) -> None:
    words = "I am allergic to shellfish."
    _, _, who = await caller.tells(words, None)

    later = await caller.assistant.call("memory_remember", text=words, subject=who, facts=[])
    denied = await caller.assistant.call(
        "memory_remember", text=words, subject=who, facts=[fact(ALLERGY, "shellfish", words[:-1], "negated")]
    )

    assert "conflicts" not in later
    assert denied["results"][0]["verdict"] == "waits"
    assert (ALLERGY, "shellfish", "active") in await caller.stored(who)


TREATED = (
    ("I had giardia after Peru. It's treated.", "giardia"),
    ("She had scabies in spring, it was treated.", "scabies"),
    ("We caught threadworms last year, but they were treated and are gone.", "threadworms"),
    ("He had gonorrhoea years ago, treated.", "gonorrhoea"),
)


@pytest.mark.parametrize(("text", "thing"), TREATED, ids=[row[1] for row in TREATED])
async def test_an_illness_of_the_past_that_was_treated_is_stored_as_ended(
    caller: Caller, text: str, thing: str
) -> None:
    fates, _, _ = await caller.tells(text, [fact("HAS_CONDITION", thing, text[:-1], "resolved")])

    assert [(fate["verdict"], fate.get("status")) for fate in fates] == [("stored", "resolved")], fates


ONGOING = (
    ("I have epilepsy, it's treated.", "HAS_CONDITION", "epilepsy"),
    ("He has had asthma since school. It's treated with an inhaler.", "HAS_CONDITION", "asthma"),
    ("She had hepatitis C and is still being treated.", "HAS_CONDITION", "hepatitis C"),
    ("I had a reaction to penicillin. It was treated.", ALLERGY, "penicillin"),
)


@pytest.mark.parametrize(("text", "relation", "thing"), ONGOING, ids=[row[2] for row in ONGOING])
async def test_what_is_under_treatment_and_an_allergy_that_was_treated_do_not_end(
    caller: Caller, text: str, relation: str, thing: str
) -> None:
    fates, _, who = await caller.tells(text, [fact(relation, thing, text[:-1], "resolved")])

    assert [fate["verdict"] for fate in fates] == ["waits"], fates
    assert not {status for *_, status in await caller.stored(who)} & {"resolved", "refuted", "negated"}


@pytest.mark.parametrize(
    ("text", "given", "kept"),
    [
        (
            "They took the port out of my chest in May.",
            (IMPLANT, "port", "They took the port out of my chest in May"),
            "resolved",
        ),
        ("He passed out at school when he was four but none since.", ("HAS_CONDITION", "passed out", ""), "resolved"),
        (
            "It is my cousin with the epilepsy, not me, the school got it wrong.",
            ("HAS_CONDITION", "epilepsy", ""),
            "negated",
        ),
    ],
)
async def test_one_thing_that_is_gone_and_what_never_came_again_are_over(
    caller: Caller, text: str, given: tuple[str, str, str], kept: str
) -> None:
    relation, thing, evidence = given
    _, _, who = await caller.tells(text, [fact(relation, thing, evidence or text, kept)])
    assert (relation, thing, kept) in await caller.stored(who)


async def test_no_implant_at_all_needs_plainer_words_than_one_that_was_taken_out(caller: Caller) -> None:
    text = "Any implants were taken out, I think, years ago."
    [told], _, who = await caller.tells(text, [fact(IMPLANT, "implants", text, "resolved")])
    assert told["verdict"] == "waits"
    assert not await caller.stored(who)


async def test_a_reaction_that_never_came_again_is_no_allergy_that_is_over(caller: Caller) -> None:
    text = "I swelled up from shrimp once as a student but none since."
    [told], _, _ = await caller.tells(text, [fact(ALLERGY, "shrimp", text, "resolved")])
    assert told["verdict"] == "waits"


async def test_a_note_may_be_a_sentence_and_the_name_of_a_drug_may_not(caller: Caller) -> None:
    words = "her neighbour Agnes has the spare key and feeds the cat while she is away"
    notes, _, who = await caller.tells(
        f"Note that {words}.", [fact("HAS_NOTE", words, words), fact(TAKES, words, words)]
    )
    assert [each["verdict"] for each in notes] == ["stored", "waits"]
    assert ("HAS_NOTE", words.casefold(), "active") in await caller.stored(who)


async def test_a_note_that_is_taken_back_is_taken_back_by_any_words_and_by_none_it_waits(caller: Caller) -> None:
    said = "The spare key is with the porter; what you have about Agnes was wrong."
    [told], _, who = await caller.tells(said, [fact("HAS_NOTE", "Agnes", said, "refuted")])
    assert told["verdict"] == "stored"
    assert ("HAS_NOTE", "agnes", "refuted") in await caller.stored(who)
    plain = "The spare key is with the porter."
    [told], _, _ = await caller.tells(plain, [fact("HAS_NOTE", "spare key", plain, "negated")])
    assert told["verdict"] == "waits"


@pytest.mark.parametrize("others", ["{name} and Ben", "{name}, Tom and Ben", "{name} and her brother"])
async def test_a_risk_that_two_people_share_and_the_caller_left_out_stays_in_view(caller: Caller, others: str) -> None:
    who = f"shared-{others.count(' ')}-{'her' in others}"
    said = f"{others.format(name='Mirela')} are allergic to sesame."
    await caller.assistant.call("memory_remember", text=said, subject=who, subject_name=f"Mirela {who}", facts=[])
    shown = await caller.assistant.call("memory_build_context", query="What may she eat?", subject=who)
    assert "allergic to sesame" in shown["block"].casefold()
