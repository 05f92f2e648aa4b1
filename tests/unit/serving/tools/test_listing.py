import pytest

from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, allergic_to, called, client_of, refused

pytestmark = pytest.mark.anyio
ANN = {"subject": "P1", "subject_name": "Ann Lee"}
DAY = 86_400_000


async def test_a_list_is_complete_and_counts_what_there_is_none_of(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text=ALLERGIC, speaker="patient", **ANN)
        listed = await called(client, "memory_list_facts", subject="Ann Lee")
    assert listed == {
        "state": "FOUND",
        "complete": True,
        "facts": [
            {
                "fact_id": listed["facts"][0]["fact_id"],
                "relation": "HAS_ALLERGY_TO",
                "object": "Penicillin",
                "object_type": "Drug",
                "status": "active",
                "attrs": {"severity": "severe"},
                "observations": 1,
                "evidence": "severely allergic to penicillin",
                "speaker": "patient",
                "said_at": "2026-11-21T10:15:02Z",
                "recorded_at": "2026-11-21T10:15:02.000Z",
                "route": "rules",
                "confidence": 1.0,
                "version": 1,
            }
        ],
        "counts": [{"relation": "HAS_ALLERGY_TO", "count": 1}],
        "empty": "HAS_IMPLANTS, LIKES",
        "total": 1,
        "next_cursor": "",
        "subject_id": "P1",
        "subject_name": "Ann Lee",
    }


async def test_an_earlier_instant_shows_what_was_known_then(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        practice.clock.advance(DAY)
        await called(client, "memory_remember", text=ALLERGIC, subject="P1")
        before = await called(client, "memory_list_facts", subject="P1", as_of="2026-11-21T12:00:00Z")
        after = await called(client, "memory_list_facts", subject="P1", as_of="2026-11-23T12:00:00Z")
    assert (before["total"], after["total"]) == (0, 1)


async def test_a_history_gives_every_event_and_the_fact_they_add_up_to(practice: Practice, era: Era) -> None:
    practice.script["Still allergic."] = allergic_to("penicillin", evidence="Still allergic")
    async with client_of(practice, era) as client:
        first = await called(client, "memory_remember", text=ALLERGIC, **ANN)
        practice.clock.advance(DAY)
        await called(client, "memory_remember", text="Still allergic.", subject="P1")
        short = first["results"][0]["fact_id"][:8]
        history = await called(client, "memory_list_facts", subject="P1", fact_id=short)
        page = await called(client, "memory_list_facts", subject="P1", fact_id=short, limit=1)
        rest = await called(client, "memory_list_facts", subject="P1", fact_id=short, cursor=page["next_cursor"])
        then = await called(client, "memory_list_facts", subject="P1", fact_id=short, as_of="2026-11-21T23:00:00Z")
    assert [event["evidence"] for event in history["history"]] == ["severely allergic to penicillin", "Still allergic"]
    assert history["facts"][0]["observations"] == history["total"] == 2
    assert [event["seq"] for event in (*page["history"], *rest["history"])] == [1, 2]
    assert (rest["next_cursor"], then["total"]) == ("", 1)


@pytest.mark.proves("Z10")
async def test_the_history_of_another_subjects_fact_is_not_shown(practice: Practice) -> None:
    async with client_of(practice) as client:
        first = await called(client, "memory_remember", text=ALLERGIC, **ANN)
        await called(client, "memory_remember", text="Hello.", subject="P2", subject_name="Bob Ray")
        told = await refused(client, "memory_list_facts", subject="P2", fact_id=first["results"][0]["fact_id"])
    assert "this subject has no fact" in told
    assert "penicillin" not in told.casefold()


@pytest.mark.proves("M-26", "M-31")
@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"relations": ["HAS_ALERGY_TO"]}, "use one of: HAS_ALLERGY_TO, HAS_IMPLANTS, LIKES"),
        ({"statuses": ["gone"]}, "use one of: active, unconfirmed"),
        ({"as_of": "2026-11-21T12:00:00"}, "has no time zone; use Z"),
        ({"cursor": "nonsense"}, "start again without cursor"),
        ({"fact_id": "00000000"}, "use one of"),
    ],
)
async def test_what_cannot_be_listed_is_refused_with_what_can(
    practice: Practice, wrong: dict[str, object], told: str
) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        assert told in await refused(client, "memory_list_facts", subject="P1", **wrong)


async def test_lists_can_be_narrowed_to_relations_and_statuses(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        implants = await called(client, "memory_list_facts", subject="P1", relations=["HAS_IMPLANTS"])
        refuted = await called(client, "memory_list_facts", subject="P1", statuses=["refuted"])
    assert (implants["total"], implants["counts"]) == (0, [])
    assert implants["empty"] == "HAS_IMPLANTS"
    assert refuted["total"] == 0
