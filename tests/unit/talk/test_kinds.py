"""Five kinds of talk are told apart well enough to tune a search, and no fact depends on it (T-7)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from r_memory.config.conversation_file import KINDS, load_kinds
from r_memory.config.files import Files
from r_memory.domain.turns import Part
from r_memory.errors import ConfigurationError
from r_memory.talk.kinds import TUNINGS, Kind, KindClassifier
from r_memory.talk.profiles import Profile
from tests.unit.talk.world import World

HERE = Path(__file__).parent
SHIPPED = KindClassifier(load_kinds(Files()))


def held_out() -> Mapping[str, Sequence[str]]:
    loaded: Mapping[str, Sequence[str]] = yaml.safe_load((HERE / "kinds_held_out.yaml").read_text(encoding="utf-8"))
    return loaded


def macro_f1(classifier: KindClassifier, labelled: Mapping[str, Sequence[str]]) -> float:
    pairs = Counter((kind, classifier.kind_of(text).value) for kind, texts in labelled.items() for text in texts)
    told = Counter(kind for kind, texts in labelled.items() for _ in texts)
    named = Counter[str]()
    for (_, kind), times in pairs.items():
        named[kind] += times
    return sum(2 * pairs[kind, kind] / (told[kind] + named[kind]) for kind in told) / len(told)


@pytest.mark.proves("T-7")
def test_five_kinds_of_talk_are_told_apart_on_messages_that_nothing_was_learnt_from() -> None:
    examples, messages = load_kinds(Files()), held_out()
    assert set(examples) == set(messages) == {kind.value for kind in Kind}
    assert min(len(texts) for texts in examples.values()) >= 40
    assert not {text for texts in messages.values() for text in texts} & {
        text for texts in examples.values() for text in texts
    }
    assert macro_f1(SHIPPED, messages) >= 0.75


@pytest.mark.proves("T-7")
@pytest.mark.parametrize("kind", Kind)
def test_each_kind_changes_a_switch_of_remembering(kind: Kind) -> None:
    changes = TUNINGS[kind]
    usual = Profile()
    assert changes
    assert all(getattr(usual, name) != value for name, value in changes.items())


def test_the_same_is_learnt_every_time() -> None:
    again = KindClassifier(load_kinds(Files()))
    messages = [text for texts in held_out().values() for text in texts]
    assert [SHIPPED.kind_of(text) for text in messages] == [again.kind_of(text) for text in messages]


@given(st.text(max_size=200))
def test_any_text_has_a_kind(text: str) -> None:
    assert SHIPPED.kind_of(text) in Kind


def test_a_message_without_words_is_small_talk() -> None:
    assert SHIPPED.kind_of("") is SHIPPED.kind_of(" \u2026 ") is Kind.SMALL_TALK


def test_a_message_under_two_kinds_is_named_with_its_line(tmp_path: Path) -> None:
    kinds = "".join(f"  {kind.value}: [Hello there]\n" for kind in Kind)
    (tmp_path / KINDS).parent.mkdir(parents=True)
    (tmp_path / KINDS).write_text(f"version: 1\nexamples:\n{kinds}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="stands under `task` as well") as refused:
        load_kinds(Files(home=tmp_path))
    assert refused.value.line == 4


@pytest.mark.anyio
@pytest.mark.proves("T-7", "CIM-27")
async def test_a_task_is_shown_the_last_two_turns_and_a_question_the_last_one_where_kinds_tune() -> None:
    world = World(usual="by_kind", kinds=SHIPPED)
    await world.talk(("one", "first answer"), ("two", "second answer"), ("three", "third answer"))
    shown = {}
    for question in ("Translate this letter into Polish, please.", "Who invented the telephone?"):
        prepared = await world.ask(question)
        (previous,) = [section for section in prepared.sections if section.part is Part.PREVIOUS]
        shown[SHIPPED.kind_of(question)] = [answer in previous.text for answer in ("second answer", "third answer")]
    assert shown == {Kind.TASK: [True, True], Kind.QUESTION: [False, True]}


@pytest.mark.anyio
async def test_without_a_wish_for_it_no_kind_tunes_anything() -> None:
    world = World(kinds=SHIPPED)
    await world.talk(("one", "first answer"), ("two", "second answer"), ("three", "third answer"))
    prepared = await world.ask("Translate this letter into Polish, please.")
    (previous,) = [section for section in prepared.sections if section.part is Part.PREVIOUS]
    assert "second answer" not in previous.text
