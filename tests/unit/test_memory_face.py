"""The face of a memory: what `dir`, `help` and an editor show of it, and what its page says."""

import inspect
import re
import textwrap
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import get_args, get_origin

from r_memory.facts.across import Across
from r_memory.facts.listing import FactList
from r_memory.facts.people import PeopleList
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.recall.several import Several
from r_memory.facts.reconciling import Reconciling
from r_memory.facts.remember.remembering import Remembering
from r_memory.facts.reviewing import Reviewing
from r_memory.facts.subjects import Subjects
from r_memory.memory import Memory
from r_memory.space.space import Space
from r_memory_talk.talk import Talk

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"
PARTS = {
    "facts.subjects": Subjects,
    "facts.across": Across,
    "facts.remembering": Remembering,
    "facts.recalling": Recaller,
    "facts.lists": FactList,
    "facts.people": PeopleList,
    "facts.several": Several,
    "facts.reconciling": Reconciling,
    "facts.reviewing": Reviewing,
    "talk": Talk,
    "space": Space,
}
CALL = re.compile(r"(?:return|=) (?:await )?self\.(?P<part>[\w.]+)\.(?P<method>\w+)\(")


def methods() -> dict[str, object]:
    """The public methods of a memory."""
    return {name: value for name, value in vars(Memory).items() if inspect.isfunction(value) and name[0] != "_"}


def written(name: str) -> str:
    """The signature of a method as its source has it, on one line."""
    source = textwrap.dedent(inspect.getsource(getattr(Memory, name)))
    head = source[: source.index('"""')].rstrip().removesuffix(":")
    one_line = re.sub(r"\s+", " ", head).replace("( ", "(").replace(", )", ")").replace(" )", ")")
    return one_line.replace("(self, ", "(").replace("(self)", "()")


def test_help_and_dir_show_every_method_of_a_memory_with_its_arguments_and_a_sentence() -> None:
    assert len(methods()) >= 34
    for name, method in methods().items():
        assert name in dir(Memory)
        assert inspect.signature(method).return_annotation is not inspect.Signature.empty  # type: ignore[arg-type]
        assert (inspect.getdoc(method) or "").endswith("."), name


def test_the_page_has_the_signature_of_every_method_as_the_code_has_it() -> None:
    (block,) = re.findall(r"^```text\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert "".join(f"{written(name)}\n" for name in methods()) == block


def gives(signature: inspect.Signature) -> object:
    """What a method gives; a generator is an iterator to whoever only takes what it yields."""
    given = signature.return_annotation
    return AsyncIterator[get_args(given)[0]] if get_origin(given) is AsyncGenerator else given  # type: ignore[misc]


def test_a_method_takes_and_gives_what_the_method_of_its_part_does() -> None:
    """Nothing is lost on the way: a new argument of a part is one of the memory, or a mistake."""
    left_out = {"addressed": {"look"}, "remember": {"beside"}}  # which the memory itself hands down
    own = {name for name, method in methods().items() if not hasattr(method, "__wrapped__")}  # others are the part's
    delegating = {name: found for name in own if (found := CALL.search(inspect.getsource(getattr(Memory, name))))}
    assert own - set(delegating) == {"in_space", "under_table"}  # which give another memory, or facts
    for name, call in delegating.items():
        here = inspect.signature(getattr(Memory, name))
        below = inspect.signature(getattr(PARTS[call["part"]], call["method"]))
        kept = [each for each in below.parameters.values() if each.name not in left_out.get(name, set())]
        assert list(here.parameters.values()) == kept, name
        assert gives(here) == gives(below), name
