"""`chat`: the terminal program, over the memory and the model that the settings name."""

import sys
import time
import uuid
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from r_memory.cli.options import AnotherThan, Home, Space, Subject, settings_of
from r_memory.cli.printing import counted
from r_memory.cli.running import with_memory
from r_memory.config.conversation_file import load_instruction
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.domain.instants import iso_seconds
from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.memory import Memory
from r_memory.text.tokens import count
from r_memory.wiring import SystemClock, endpoint_of
from r_memory.wiring.language import standing_of
from r_memory_chat.orders import Manner
from r_memory_chat.screen import ChatApp
from r_memory_chat.session import ChatPerson, Session

if TYPE_CHECKING:  # at run time see `_model`
    from r_memory_chat.streaming import StreamingModel


def chat(
    subject: Subject = "",
    subject_name: Annotated[
        str, typer.Option("--subject-name", metavar="NAME", help="Declares a new subject under the id of --subject.")
    ] = "",
    another_than: AnotherThan = None,
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="NAME", help="Goes on with the conversation of this name.")
    ] = "chat",
    old: Annotated[
        bool, typer.Option("--old", help="Replays the whole conversation in every prompt, for comparison.")
    ] = False,
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME", help="scm, cim, mimir, … [default: the usual]")
    ] = "",
    speaker: Annotated[str, typer.Option("--speaker", metavar="WHO", help="Who types. [default: the role]")] = "",
    dollars: Annotated[bool, typer.Option("--dollars", help="Enter begins a new line; `$$` and Enter send.")] = False,
    home: Home = None,
    space: Space = None,
) -> None:
    """Talks with a model in three panels, and shows what stood before each prompt and why.

    The facts in what you type are stored before the model is asked, and what must be known stands in front of every
    question: F2 shows it. Any OpenAI-compatible model will do (R_MEMORY_MODEL_URL and R_MEMORY_MODEL_NAME);
    without one, facts are stored and recalled all the same. Tab goes from panel to panel, Ctrl+C ends.
    """
    if old and profile:
        raise InvalidInput("--old and --profile were both given; give one of them")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("chat needs a terminal; in a pipe, use `r-memory remember` and `r-memory recall`")
    settings = _reading(settings_of(home, space))
    manner = Manner(
        conversation=conversation,
        profile=profile,
        old=old,
        instruction=load_instruction("INSTRUCTION_CONVERSATION", settings.home),
        speaker=speaker,
    )

    async def talked(memory: Memory) -> int:
        """Runs the program; how many messages could not be stored when it ended."""
        memory.talk.conversations.profile(profile)  # or there is no such profile
        async with AsyncExitStack() as stack:
            model = _model(settings)
            if model is not None:
                stack.push_async_callback(model.close)
            session = Session(memory, model, manner, count=count, time=_now, new_key=lambda: uuid.uuid4().hex)
            if subject and subject_name:
                session.choose(session.new_person(subject, subject_name, another_than=tuple(another_than or ())))
            elif subject or settings.single_subject or memory.schema.owner:
                session.choose(ChatPerson(entity=await memory.find_subject(subject)))
            await ChatApp(session, dollars=dollars).run_async()
            return session.waiting

    if waiting := with_memory(settings, talked):
        raise StoreUnavailable(f"{counted(waiting, 'message')} of this conversation could not be stored; say it again")


def _reading(settings: Settings) -> Settings:
    """Returns the settings with the chat's model as a reader, if it passed the exam."""
    if Route.MODEL in settings.routes or not (settings.model_url and settings.model_name):
        return settings
    reading = replace(settings, routes=(*settings.routes, Route.MODEL))
    known = standing_of(reading)
    return reading if known is not None and known.counts else settings


def _model(settings: Settings) -> "StreamingModel | None":
    """Returns the answering model; `None` if none is configured."""
    if not (settings.model_url and settings.model_name):
        return None
    # Imported late: the client takes a second, and comes with an extra.
    from r_memory_chat.streaming import StreamingModel  # noqa: PLC0415

    return StreamingModel(endpoint_of(settings, settings.model_name), clock=SystemClock())


def _now() -> str:
    return iso_seconds(time.time_ns() // 1_000_000)
