"""Documents as their readers meet them: once, whole, found by page, gone on with after a kill; facts named by their
place."""

import asyncio
import itertools

import pytest

from r_memory.documents.plain import read_text
from r_memory.domain.documents import PartFacts, Plan, TextSection
from r_memory.domain.memories import DocumentState, Tier
from r_memory.errors import InvalidInput, ModelUnavailable
from r_memory.protocols import Shortening
from r_memory_talk.documents.naming import source_of
from r_memory_talk.documents.splitting import blocks
from tests.unit.talk.documents.world import ANN, Ward, a_book

pytestmark = pytest.mark.anyio


def as_it_is(text: str, _: Shortening) -> str:
    return text


def as_it_is_if_short(text: str, task: Shortening) -> str:
    return " ".join(words[: task.words]) if len(words := text.split()) > task.words else text.strip()


def to_its_tenth(text: str, task: Shortening) -> str:
    words = text.split()
    return " ".join(words[: min(task.words, max(len(words) // 10, 20))])


# --- a whole document -------------------------------------------------------------------------------------------------


@pytest.mark.proves("SCM-36")
async def test_a_book_is_stored_in_parts_and_levels_of_summaries_up_to_one() -> None:
    ward = Ward()
    reports = await ward.read(a_book(60))
    last = reports[-1]
    document = last.document
    assert last.is_done
    assert (document.state, document.read, last.next_part) == (DocumentState.DONE, document.parts, 0)
    _, levels = await ward.documents.levels(document.id)
    sizes = [len(items) for items in levels.values()]
    assert list(levels) == list(range(1, document.levels + 1))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    assert len(sizes) >= 3
    assert levels[document.levels][0].id == document.root
    assert all(item.tier is Tier.DOCUMENT for item in await ward.items())
    sources = {source for items in levels.values() for item in items for source in item.sources}
    assert sources | {document.root} == {item.id for item in await ward.items()}


@pytest.mark.proves("SCM-34")
async def test_each_block_is_summarised_with_the_summary_of_the_one_before() -> None:
    ward = Ward()
    await ward.read(a_book(12))
    tasks = [task for _, task in ward.shortener.asked if task.kind == "block"]
    _, levels = await ward.documents.levels((await ward.documents.known())[0].id)
    summaries = [item.observation for item in levels[1]]
    assert len(tasks) >= 3
    assert [task.background for task in tasks] == ["", *summaries[:-1]]


@pytest.mark.proves("SCM-35")
async def test_a_meeting_gets_a_theme_that_stands_in_every_prompt() -> None:
    def answer(text: str, task: Shortening) -> str:
        return "The bridge and its mayor" if task.kind == "theme" else to_its_tenth(text, task)

    ward = Ward(answer)
    last = (await ward.read(a_book(12), plan=Plan(meeting=True)))[-1]
    assert last.document.theme == "The bridge and its mayor"
    kinds = [task.kind for _, task in ward.shortener.asked]
    assert kinds[0] == "theme"
    assert {task.theme for _, task in ward.shortener.asked[1:]} == {"The bridge and its mayor"}
    assert len(ward.shortener.asked[0][0]) <= 1200


@pytest.mark.proves("SCM-37")
async def test_summaries_for_a_question_are_made_beside_those_for_everything() -> None:
    ward = Ward()
    first = (await ward.read(a_book(6)))[-1]
    told = len(ward.told)
    second = (await ward.read(a_book(6), plan=Plan(question="Who opened it?")))[-1]
    assert first.document.id == second.document.id
    assert first.document.root != second.document.root
    assert len(ward.told) == told
    assert {first.document.root, second.document.root} <= {item.id for item in await ward.items()}


async def test_a_short_document_is_its_own_summary_and_stored_once() -> None:
    ward = Ward(as_it_is)
    last = (await ward.read(read_text("Ann is allergic to nuts. She likes tea.")))[-1]
    (item,) = await ward.items()
    assert (last.document.root, last.document.levels, last.document.parts) == (item.id, 0, 1)
    assert await ward.documents.levels(last.document.id) == (last.document, {})
    assert last.document.flags == ()


async def test_a_summariser_that_never_shrinks_ends_all_the_same_and_is_named() -> None:
    ward = Ward(lambda text, _: text + " " + text)
    last = (await ward.read(a_book(40)))[-1]
    assert last.is_done
    assert last.document.flags == ("did_not_shrink",)


async def test_a_sentence_longer_than_a_block_is_flagged() -> None:
    ward = Ward()
    last = (await ward.read(read_text("word " * 9000)))[-1]
    assert "forced_split" in last.document.flags


# --- facts ------------------------------------------------------------------------------------------------------------


async def test_every_part_is_read_for_facts_with_its_page_as_its_source() -> None:
    ward = Ward()
    reading = a_book(4)
    last = (await ward.read(reading, name="letter.pdf"))[-1]
    parts = [part for block in blocks(reading.sections) for part in block.parts]
    assert [(source, text) for source, _, text in ward.told] == [
        (f"letter.pdf, page {part.page}", part.text) for part in parts
    ]
    assert {part.page for part in parts} == {1, 2, 3, 4}
    assert last.facts == PartFacts(stored=len(parts))


async def test_a_document_about_nobody_keeps_parts_and_summaries_and_no_facts() -> None:
    ward = Ward()
    last = (await ward.read(a_book(4), about=None))[-1]
    assert (last.is_done, last.document.subject_uid, ward.told, last.facts) == (True, "", [], PartFacts())
    assert len(await ward.items()) > last.document.parts


async def test_what_a_shortener_makes_up_is_never_read_for_facts() -> None:
    ward = Ward(lambda _, __: "Ann is allergic to penicillin.")
    await ward.read(a_book(12))
    assert not any("penicillin" in text for _, _, text in ward.told)


# --- found again ------------------------------------------------------------------------------------------------------


async def test_a_search_finds_the_part_and_names_document_and_page() -> None:
    ward = Ward()
    await ward.read(read_text("The bridge is old.\fThe lighthouse keeper eats herring.\fNothing else."), name="log.txt")
    found = await ward.stream.search("herring", subject_uid=ANN.uid, k=1)
    assert [(hit.item.speaker, hit.item.observation) for hit in found.chosen] == [
        ("log.txt, page 2", "The lighthouse keeper eats herring.")
    ]


async def test_another_subject_never_finds_it() -> None:
    ward = Ward()
    await ward.read(read_text("The lighthouse keeper eats herring."))
    assert (await ward.stream.search("herring", subject_uid="clinic/Patient/P2")).chosen == ()


@pytest.mark.parametrize(
    ("part", "place"),
    [
        (TextSection(text="x", page=3, heading="H", line=9), "page 3"),
        (TextSection(text="x", heading="Allergies", line=9), "section Allergies"),
        (TextSection(text="x", line=9), "line 9"),
    ],
)
def test_a_source_names_the_nearest_place_there_is(part: TextSection, place: str) -> None:
    assert source_of("a.md", part) == f"a.md, {place}"


def test_a_source_is_short_enough_to_be_shown_whole() -> None:
    part = TextSection(text="x", heading="A heading that goes on and on and on and on")
    assert len(source_of("n" * 200, part)) <= 80
    assert len(f"{source_of('n' * 44, part, TextSection(text='y', page=1000))}, summary") <= 80


def test_summaries_name_the_stretch_they_are_of() -> None:
    pages = [TextSection(text="x", page=page) for page in (3, 4, 9)]
    assert source_of("a.pdf", *pages) == "a.pdf, pages 3-9"
    assert source_of("a.pdf", *pages[:1]) == "a.pdf, page 3"


# --- once -------------------------------------------------------------------------------------------------------------


async def test_the_same_document_again_does_nothing_and_says_so() -> None:
    ward = Ward()
    first = (await ward.read(a_book(8)))[-1]
    items, asked, told = await ward.items(), len(ward.shortener.asked), len(ward.told)
    ward.restart()
    (again,) = await ward.read(a_book(8))
    assert (again.already, again.document, again.is_done) == (True, first.document, True)
    assert (await ward.items(), len(ward.shortener.asked), len(ward.told)) == (items, asked, told)


@pytest.mark.parametrize(
    ("name", "reading", "about"),
    [
        ("book.txt", a_book(3), ANN),
        ("other.txt", a_book(2), ANN),
        ("book.txt", a_book(2), None),
    ],
    ids=["other words", "other name", "about nobody"],
)
async def test_another_document_is_another_one(name: str, reading: object, about: object) -> None:
    ward = Ward()
    first = (await ward.read(a_book(2)))[-1]
    second = (await ward.read(reading, name=name, about=about))[-1]  # type: ignore[arg-type]  # the parameters' types
    assert not second.already
    assert second.document.id != first.document.id
    assert len(await ward.documents.known()) == 2


async def test_two_calls_at_once_read_it_once() -> None:
    ward = Ward()
    one, other = await asyncio.gather(ward.read(a_book(6)), ward.read(a_book(6)))
    assert sorted((one[-1].already, other[-1].already)) == [False, True]
    assert len(ward.told) == one[-1].document.parts


# --- gone on with -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fails_at", [1, 2, 7, 13])
async def test_a_run_that_was_killed_is_gone_on_with_and_comes_to_the_same(fails_at: int) -> None:
    whole, broken = Ward(), Ward(fails_at=fails_at)
    expected = (await whole.read(a_book(12)))[-1]
    with pytest.raises(RuntimeError, match="killed"):
        await broken.read(a_book(12))
    broken.restart()
    broken.fails_at = 0
    last = (await broken.read(a_book(12)))[-1]
    assert last.document == expected.document
    assert [item.id for item in await broken.items()] == [item.id for item in await whole.items()]
    assert {key for _, key, _ in broken.told} == {key for _, key, _ in whole.told}
    assert last.facts.stored + fails_at - 1 == expected.facts.stored


@pytest.mark.proves("M-62")
async def test_a_call_that_runs_out_of_time_says_where_to_go_on_and_progress_only_rises() -> None:
    whole, ward = Ward(), Ward()
    expected = (await whole.read(a_book(12)))[-1]
    ends = []
    for _ in range(200):
        reports = await ward.read(a_book(12), limit_s=4.0)
        done = [report.done for report in reports]
        assert all(before < after for before, after in itertools.pairwise(done[:-1]))
        ends.append(reports[-1])
        if reports[-1].is_done:
            break
        ward.restart()
    assert [end.is_done for end in ends] == [False] * (len(ends) - 1) + [True]
    assert len(ends) > 3
    nexts = [end.next_part for end in ends[:-1]]
    assert nexts == sorted(nexts)
    assert nexts[0] == 5
    assert ends[-1].document == expected.document
    assert [item.id for item in await ward.items()] == [item.id for item in await whole.items()]
    assert PartFacts(stored=sum(end.facts.stored for end in ends)) == expected.facts
    assert ends[-1].done == ends[-1].steps


@pytest.mark.parametrize("last_parts", [1, 4], ids=["a last block of its own words", "a longer one"])
async def test_each_call_does_something_however_little_time_it_has(last_parts: int) -> None:
    ward = Ward(as_it_is_if_short)
    books = (a_book(2, sentences=number) for number in range(60, 140))
    reading = next(book for book in books if len(blocks(book.sections)[-1].parts) == last_parts)
    ends = [(await ward.read(reading, limit_s=0.0))[-1].is_done for _ in range(60)]
    assert True in ends
    assert ends.index(True) > 5


async def test_an_answer_that_took_too_long_is_there_for_the_next_call() -> None:
    ward = Ward()
    asked, waiting = 0, asyncio.Event()
    shorten = ward.shortener.shorten

    async def slowly(text: str, task: Shortening) -> str:
        nonlocal asked
        asked += 1
        await waiting.wait()
        return await shorten(text, task)

    ward.shortener.shorten = slowly  # type: ignore[method-assign]  # a model that thinks for long
    reading = read_text("One sentence that is long enough to be shortened by somebody. " * 60)
    first = (await ward.read(reading, limit_s=0.0))[-1]
    second = (await ward.read(reading, limit_s=0.0))[-1]
    waiting.set()
    last = (await ward.read(reading))[-1]
    assert (first.is_done, second.is_done, last.is_done, asked) == (False, False, True, 1)


async def test_start_part_never_skips_what_was_not_read_and_never_reads_twice() -> None:
    ward = Ward()
    parts = (await ward.read(a_book(12), start_part=9))[-1].document.parts
    assert len(ward.told) == parts
    with pytest.raises(InvalidInput, match=rf"start_part {parts + 1} is past the end; the document has {parts} parts"):
        await ward.read(a_book(12), start_part=parts + 1)
    with pytest.raises(InvalidInput, match="start_part"):
        await ward.read(a_book(12), start_part=-1)


async def test_a_model_that_does_not_answer_costs_the_summaries_and_nothing_else() -> None:
    def silent(_: str, __: Shortening) -> str:
        raise ModelUnavailable("the model did not answer; try again")

    ward = Ward(silent)
    last = (await ward.read(a_book(6)))[-1]
    assert (last.is_done, last.document.read) == (False, last.document.parts)
    assert "the model did not answer" in last.trouble
    assert len(await ward.items()) == last.document.parts
    assert last.next_part == last.document.parts
    told = len(ward.told)
    ward.answer = None
    ward.shortener.__init__()  # type: ignore[misc]  # the model is there again
    assert (await ward.read(a_book(6)))[-1].is_done
    assert len(ward.told) == told


async def test_a_reader_that_stops_listening_leaves_the_document_to_the_next() -> None:
    ward = Ward()
    reports = ward.documents.ingest("book.txt", a_book(12), about=ANN)
    await anext(reports)
    await reports.aclose()
    assert (await ward.read(a_book(12)))[-1].is_done


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x00b"])
async def test_a_document_needs_a_name_that_can_be_shown(name: str) -> None:
    with pytest.raises(InvalidInput, match="name"):
        await Ward().read(a_book(1), name=name)


async def test_a_document_without_words_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is empty"):
        read_text(" \n\x0c ")


async def test_a_document_beyond_all_measure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r_memory_talk.documents.ingesting._LARGEST", 100)
    with pytest.raises(InvalidInput, match="at most 100 are read"):
        await Ward().read(read_text("x" * 101))


async def test_unknown_documents_have_no_levels() -> None:
    ward = Ward()
    for id_ in ("", "document-of-nobody"):
        with pytest.raises(InvalidInput, match="no document has the id"):
            await ward.documents.levels(id_)


def test_a_section_begins_at_line_one_unless_it_says_otherwise() -> None:
    assert TextSection(text="x").line == 1
