"""`doctor`: the usual troubles of an installation, what they mean, and what to do.

Each check is a function that gives what it found, and none ever shows a password. None changes anything: the store is
opened without preparing it, so that what the last start left is still to be seen. The language model is sent one
made-up question, and nothing that anybody said.
"""

import asyncio
import importlib.util
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from rich.text import Text

from r_memory.cli.app import Exit
from r_memory.cli.checking import findings
from r_memory.cli.options import Home, Space, settings_of
from r_memory.cli.printing import Answer, Part, answering, counted
from r_memory.cli.running import keep_logs_quiet
from r_memory.config.loading import Loaded, load_domain
from r_memory.config.settings import PREFIX, Settings
from r_memory.domain.events import EpisodeStatus
from r_memory.domain.facts import Route
from r_memory.domain.log import IMPORT
from r_memory.errors import ConfigurationError, ModelError, ModelRefused, StoreError
from r_memory.protocols import ChatMessage, ReplyForm, StoreHealth, strict, unhurried
from r_memory.reading.taught.weights import Absent, find_weights
from r_memory.serving.http.plan import is_loopback
from r_memory.space.integrity import Verification, verify_space
from r_memory.store.bolt_errors import QueryRefused
from r_memory.store.embedded_files import FolderLayout
from r_memory.store.host_lock import Announcement, announced, is_free
from r_memory.store.host_proof import answers
from r_memory.wiring import open_model, open_store, profiles_of
from r_memory.wiring.language import standing_of

if TYPE_CHECKING:  # its client comes with an extra, and an installation that asks no model needs none
    from r_memory.providers.openai import OpenAIChat

ROOM_NEEDED = 200 * 2**20
"""Bytes that an embedded store needs free: its log uses up to a tenth before it is compacted."""
_NEO4J = "set a Neo4j address: R_MEMORY_STORE_URI=neo4j://HOST:7687"
OLDEST_NEO4J = (5, 26)
_VERSION = re.compile(r"Neo4j (\d+)\.(\d+)")
_LOOK = {"fine": ("ok      ", "green"), "note": ("note    ", "yellow"), "trouble": ("TROUBLE ", "bold red")}


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """The result of one check."""

    check: str
    level: Literal["fine", "note", "trouble"]
    what: str
    why: str = ""
    """What it means for the user; empty if all is well."""
    remedy: str = ""
    store_down: bool = False
    """Whether the memory cannot be read or written."""


@answering
def doctor(home: Home = None, space: Space = None) -> Answer:
    """Finds the usual troubles of this installation and says what to do.

    Changes nothing. Exit code 1 means that there is something to mend, 3 that the store cannot be used as it is.
    """
    keep_logs_quiet()
    found = _findings(home, space)
    troubles = [finding for finding in found if finding.level == "trouble"]
    down = any(finding.store_down for finding in troubles)
    return Answer(
        data={"healthy": not troubles, "findings": found},
        shown=_shown(found, len(troubles)),
        code=Exit.UNAVAILABLE if down else Exit.CHECK_FAILED if troubles else Exit.DONE,
    )


def _findings(home: Path | None, space: str | None) -> Sequence[HealthFinding]:
    try:
        settings = settings_of(home, space)
        here = local_findings(settings)
        # A store that cannot answer would be waited for, and say the same again.
        unanswering = any(finding.store_down for finding in here)
        stored = () if unanswering else asyncio.run(store_findings(settings))
        return (*here, *stored, *asyncio.run(model_findings(settings)))
    except ConfigurationError as error:
        why = "nothing starts with these settings, and it is not known which store is meant"
        remedy = "mend the place named, then run `r-memory doctor` again"
        return (HealthFinding("settings", "trouble", str(error), why, remedy),)


def _shown(found: Sequence[HealthFinding], troubles: int) -> Iterator[Part]:
    for finding in found:
        mark, look = _LOOK[finding.level]
        yield Text(f"{mark}{finding.check}: {finding.what}", style=look)
        if finding.why:
            yield f"        why it matters: {finding.why}"
        if finding.remedy:
            yield f"        what to do: {finding.remedy}"
    yield Text(f"{troubles} to mend." if troubles else "Nothing to mend.", style="bold")


# --- this machine -----------------------------------------------------------------------------------------------------


Check = Callable[[Settings], Iterator[HealthFinding]]


def local_findings(settings: Settings) -> tuple[HealthFinding, ...]:
    """Returns all findings that need no store."""
    here: tuple[Check, ...] = (files, reader, conversation)
    checks = (*here, folder, room, engine, host) if settings.embedded else here
    return tuple(finding for check in checks for finding in check(settings))


def files(settings: Settings) -> Iterator[HealthFinding]:
    """Checks schema, action types and knowledge pack, as `r-memory check` does."""
    errors = [finding for finding in findings(settings) if finding.severity == "error"]
    why = "the server refuses to start rather than guess what is critical"
    for wrong in errors:
        yield HealthFinding("files", "trouble", wrong.text, why, "mend the line named, then run `r-memory check`")
    if not errors:
        where = settings.home or "the shipped defaults"
        yield HealthFinding("files", "fine", f"schema '{settings.schema}' and its files fit ({where})")


def conversation(settings: Settings) -> Iterator[HealthFinding]:
    """Reports the usual profile, and the changes in the file to each."""
    known = profiles_of(settings)
    switches = {name: written for name, written in settings.conversation.items() if isinstance(written, Mapping)}
    own = (f"{name}: {', '.join(f'{key} {value}' for key, value in of.items())}" for name, of in switches.items())
    yield HealthFinding("conversation", "fine", "; ".join([f"mode '{settings.profile}' of {', '.join(known)}", *own]))


def reader(settings: Settings) -> Iterator[HealthFinding]:
    """Reports whether the taught reader reads utterances too, or only the closed rules."""
    try:
        weights = find_weights()
    except ConfigurationError as error:
        why = "the server refuses to start rather than read with weights that do not fit"
        yield HealthFinding("reader", "trouble", str(error), why, "install r-memory again")
        return
    if isinstance(weights, Absent) or settings.schema not in weights.labels.domains:
        what = weights.reason if isinstance(weights, Absent) else f"none is taught for schema '{settings.schema}'"
        why = "closed rules read alone, and what they do not understand about something watched waits for a person"
        yield HealthFinding("reader", "note", f"no taught reader: {what}", why)
        return
    yield HealthFinding("reader", "fine", f"closed rules and taught reader {weights.labels.version}")


def engine(settings: Settings) -> Iterator[HealthFinding]:
    """Checks that the embedded database is installed; some platforms have no wheel."""
    if importlib.util.find_spec("arcadedb") is not None:
        yield HealthFinding("engine", "fine", "the embedded database is installed")
        return
    yield HealthFinding(
        "engine",
        "trouble",
        f"the package arcadedb is not installed on this {sys.platform} {platform.machine()}",
        f"it holds the store in {settings.store_dir}; there is no wheel for Intel Macs and for musl (Alpine)",
        f"{_NEO4J}; elsewhere install r-memory again",
        store_down=True,
    )


def folder(settings: Settings) -> Iterator[HealthFinding]:
    """Checks that the data folder, or its nearest existing parent, is writable and private."""
    there = _nearest(settings.store_dir)
    if trouble := _unwritable(settings.store_dir, there):
        why = f"the embedded store keeps everything in {settings.store_dir}; nothing can be remembered"
        remedy = f"make it writable for this user, or name another folder with R_MEMORY_DATA_DIR, or {_NEO4J}"
        yield HealthFinding("folder", "trouble", trouble, why, remedy, store_down=True)
    elif there == settings.store_dir and os.name == "posix" and there.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        what = f"{there} can be entered by other users of this machine"
        why = "it holds what people said about their health, and the key of the running store"
        yield HealthFinding("folder", "note", what, why, f"run `chmod -R go= {there}`")
    else:
        yield HealthFinding("folder", "fine", f"{there} can be written")


def room(settings: Settings) -> Iterator[HealthFinding]:
    """Checks the free space on the disk."""
    free = shutil.disk_usage(_nearest(settings.store_dir)).free
    if free >= ROOM_NEEDED:
        yield HealthFinding("disk", "fine", f"{free // 2**20} MiB are free")
        return
    what = f"only {free // 2**20} MiB are free where {settings.store_dir} lies"
    remedy = "free some room, or name another folder with R_MEMORY_DATA_DIR"
    # Whoever hosts it already can still be asked.
    note = announced(settings.store_dir)
    down = FolderLayout(folder=settings.store_dir).lacks_room() and not (note is not None and answers(note))
    yield HealthFinding("disk", "trouble", what, "a store without room refuses to remember, and says so", remedy, down)


def host(settings: Settings) -> Iterator[HealthFinding]:
    """Reports which process hosts the store, and whether its lock and its note agree."""
    note = announced(settings.store_dir)
    if _nearest(settings.store_dir) != settings.store_dir:
        yield HealthFinding("host", "fine", "there is no store yet; the first use makes it")
    elif is_free(settings.store_dir):
        yield _left_behind(note)
    elif note is not None and answers(note):
        yield HealthFinding("host", "fine", f"process {note.pid} hosts the store and accepts connections")
    else:
        holder = "a process" if note is None else f"process {note.pid} on {note.machine}"
        what = f"{holder} holds {settings.store_dir} and does not accept connections"
        remedy = "wait a few seconds if it has just been started; otherwise end that process, or free its machine"
        yield HealthFinding(
            "host", "trouble", what, "nobody else can open the store while it does", remedy, store_down=True
        )


def _left_behind(note: Announcement | None) -> HealthFinding:
    """Returns the finding on a store without a host."""
    if note is None:
        return HealthFinding("host", "fine", "nobody hosts the store at the moment; the next use does")
    what = f"the note of process {note.pid} is stale: it was killed, and nobody holds the lock"
    remedy = "nothing; the next start takes over and replaces the note"
    return HealthFinding("host", "note", what, "nothing is lost; what was acknowledged is on disk", remedy)


def _nearest(path: Path) -> Path:
    """Returns the path, or the nearest parent that is visible."""
    return next(place for place in (path, *path.parents) if os.path.isdir(place))  # noqa: PTH112 - see above: no error


def _unwritable(wanted: Path, there: Path) -> str:
    """Returns why nothing can be written in the existing folder; empty if it can."""
    in_the_way = next((place for place in (wanted, *wanted.parents) if os.path.isfile(place)), None)  # noqa: PTH113 - as in `_nearest`
    if in_the_way:
        return f"{in_the_way} is in the way: it is no folder"
    try:
        with tempfile.TemporaryFile(dir=there):
            return ""
    except OSError as error:
        return f"{there} cannot be written ({error.strerror})"


# --- the store --------------------------------------------------------------------------------------------------------


async def store_findings(settings: Settings) -> tuple[HealthFinding, ...]:
    """Returns the store's own findings; empty for an embedded store that does not exist yet."""
    if settings.embedded and not settings.store_dir.is_dir():
        return ()
    try:
        domain = load_domain(settings.files, settings.schema)
    except ConfigurationError:
        return ()  # `files` has said it
    try:
        async with open_store(settings) as store:
            unread = await store.open_episodes(settings.space)
            found: Verification | None = None
            if await store.is_prepared(domain.schema):  # otherwise the next start prepares it first
                with unhurried():
                    found = await verify_space(store, domain.schema, domain.knowledge, settings.space)
            health = await store.health()
    except QueryRefused as error:
        what = str(error).partition("; ")[0]
        why = "a file of the database was damaged, or another program changes it; answers say what could not be checked"
        remedy = f"end what uses it, and restore the whole folder {settings.store_dir} from a backup"
        if not settings.embedded:
            why = "the user lacks a right, or the database is damaged; answers say what could not be checked"
            remedy = "look at the server's own log; give the user the right, or restore the database from a backup"
        return (HealthFinding("store", "trouble", what, why, remedy, store_down=True),)
    except (StoreError, ConfigurationError) as error:
        what, _, remedy = str(error).partition("; ")
        why = "nothing can be remembered, and every answer says SAFETY MEMORY UNAVAILABLE"
        return (HealthFinding("store", "trouble", what, why, remedy or "look at the store's own log", store_down=True),)
    return (
        HealthFinding("store", "fine", f"{health.name} answers in {health.latency_ms:.1f} ms"),
        *about_version(health),
        *about_files(health, domain),
        *about_keys(health),
        *_whole(found),
        *about_imports(found),
        *about_waiting(health),
        *about_model_queue(sum(episode.status is EpisodeStatus.RETRY for episode in unread)),
    )


def _whole(found: Verification | None) -> Iterator[HealthFinding]:
    """Reports whether everything in the space is as recorded, which also finds damaged files."""
    if found is not None and found.whole:
        yield HealthFinding("record", "fine", f"{counted(found.records, 'record')} as they were recorded")
    elif found is not None:
        number, first = counted(len(found.differences), "difference"), found.differences[0]
        yield HealthFinding(
            "record",
            "trouble",
            f"{number} from what was recorded, first at {first.where}",
            "a file was damaged, or somebody changed the database by hand; what is shown may be wrong",
            "run `r-memory verify`, which says of each whether to rebuild or to restore",
        )


def about_imports(found: Verification | None) -> Iterator[HealthFinding]:
    """Reports an unfinished import, whose subjects are not answered for meanwhile."""
    concerned = [] if found is None else [difference for difference in found.differences if difference.where == IMPORT]
    if concerned:
        yield HealthFinding(
            "import",
            "trouble",
            f"an import has not ended: {counted(len(concerned), 'part')} of the space wait for it",
            "reads say that they could not check, and nothing that is said of those people becomes a fact",
            "wait until it has ended; if it was killed, run `r-memory import FILE` with the same file again",
        )


def about_version(health: StoreHealth) -> Iterator[HealthFinding]:
    """Reports a Neo4j that is older than those r-memory is tested with."""
    found = _VERSION.match(health.name)
    if found and (int(found[1]), int(found[2])) < OLDEST_NEO4J:
        oldest = ".".join(map(str, OLDEST_NEO4J))
        why = "r-memory is tested from that version on; older ones may refuse its queries"
        remedy = f"upgrade the server to Neo4j {oldest} or newer, or leave R_MEMORY_STORE_URI unset"
        yield HealthFinding("version", "trouble", f"{health.name} is older than {oldest}", why, remedy)


def about_keys(health: StoreHealth) -> Iterator[HealthFinding]:
    """Checks that the database has the keys of its setup, and no others."""
    if health.lost_keys and health.schema_version:
        yield HealthFinding(
            "keys",
            "trouble",
            f"somebody dropped unique constraints of r-memory: {'; '.join(health.lost_keys)}",
            "two servers can write one thing twice there; whoever is there twice could not be checked",
            "start a server, which makes them again; where it says that something is there twice, find it with "
            "`MATCH (node:LABEL) WITH node.KEY AS key, count(node) AS nodes WHERE nodes > 1 RETURN key, nodes` "
            "and remove what is wrong, or restore the database from a backup",
        )
    if health.foreign_keys:
        yield HealthFinding(
            "keys",
            "trouble",
            f"another program prepared this database: it made unique constraints on {'; '.join(health.foreign_keys)}",
            "they refuse what r-memory writes: it keeps one node for each space, type and id",
            "give r-memory a database of its own (R_MEMORY_STORE_DATABASE), or drop those constraints",
        )


def about_files(health: StoreHealth, domain: Loaded) -> Iterator[HealthFinding]:
    """Compares schema and knowledge pack of the files with those of the store."""
    both = (
        ("schema", health.schema_version, domain.schema.version),
        ("knowledge pack", health.pack_version, domain.knowledge.version),
    )
    for name, stored, loaded in both:
        if stored == loaded:
            yield HealthFinding(name, "fine", f"the store was prepared with the present {name} ({loaded})")
        elif not stored:
            why, remedy = "it is new, or its first start broke off", "nothing; the next start prepares it"
            yield HealthFinding(name, "note", f"the store was never prepared with a {name}", why, remedy)
        else:
            yield HealthFinding(
                name,
                "note",
                f"the store was prepared with {name} {stored}, the files are {loaded}",
                "the files were edited, or another installation with other files uses the same store",
                "nothing if you edited them: the next start prepares the store again; "
                "otherwise use the same files (--home) everywhere",
            )


def about_waiting(health: StoreHealth) -> Iterator[HealthFinding]:
    """Reports statements that gave no fact yet."""
    if health.pending:
        what = f"{counted(health.pending, 'statement')} gave no fact yet"
        why = "their words are shown as they are with every answer about the same subject"
        remedy = "run `r-memory audit pending_statements` and let a person look at them"
        yield HealthFinding("statements", "note", what, why, remedy)


def about_model_queue(unread: int) -> Iterator[HealthFinding]:
    """Reports statements that wait for the model."""
    if unread:
        yield HealthFinding(
            "model",
            "note",
            f"{counted(unread, 'statement')} could not be read by the model and wait for it",
            "what the offline routes read in them is stored; what only a model would read is not",
            "nothing while the model answers: a running server tries again; a start without the route `model` "
            "lets them go",
        )


# --- the model --------------------------------------------------------------------------------------------------------


_QUESTION = (
    ChatMessage(role="system", text="Answer in the form that is asked for."),
    ChatMessage(role="user", text="Which colour has a clear sky by day?"),
)
_FORM = ReplyForm(name="colour", schema=strict({"colour": {"type": "string"}}))
_RUNGS = {
    "json_schema": "it is held to a JSON Schema",
    "tool": "it lacks JSON Schema, so the form is asked for as a tool call",
    "plain": "it lacks JSON Schema and tools, so the form is described in words and mended once",
}


async def model_findings(settings: Settings) -> tuple[HealthFinding, ...]:
    """Checks that the reading model answers, exists, and in which form; empty without a model."""
    if Route.MODEL not in settings.routes:
        return ()
    setting = "small_model_name" if settings.small_model_name else "model_name"
    settings = settings.with_small_model
    found = [*about_encryption(settings), *_examined(settings)]
    async with open_model(settings) as chat:
        try:
            found += await _listed(chat, settings, setting)
            began = time.monotonic()
            await chat.reply(_QUESTION, form=_FORM)
            what = f"{chat.name} answered in {time.monotonic() - began:.1f} s; {_RUNGS[chat.rung]}"
            found.append(HealthFinding("model", "fine", what))
        except ModelError as error:
            what, _, remedy = str(error).partition("; ")
            why = "utterances keep what the offline routes read, and wait to be read by the model as well"
            found.append(HealthFinding("model", "trouble", what, why, remedy or "look at the model server's own log"))
    return tuple(found)


def _examined(settings: Settings) -> Iterator[HealthFinding]:
    """Reports how far the model's reading counts."""
    try:
        known = standing_of(settings)
    except ConfigurationError as error:
        why = "without it the model's reading is only heard"
        yield HealthFinding("exam", "trouble", str(error), why, "mend the place named, then run `r-memory exam`")
        return
    if known is None:
        return
    what = f"the reading of {known.model} {'counts' if known.counts else 'is only heard'}: {known.why}"
    if known.counts:
        yield HealthFinding("exam", "fine", what)
    else:
        why = "what it alone reads is stored unconfirmed, and nothing that reassures"
        yield HealthFinding("exam", "note", what, why, "`r-memory exam` shows its marks and those of earlier runs")


async def _listed(chat: "OpenAIChat", settings: Settings, setting: str) -> list[HealthFinding]:
    """Checks that the server offers the model; no finding if it has no list."""
    try:
        models = await chat.models()
    except ModelRefused:
        return []
    if settings.model_name in models or not models:
        return []
    what = f"the server does not list {settings.model_name}; it lists {', '.join(sorted(models)[:8])}"
    why = "if the model does not exist, utterances are read offline only"
    remedy = f"set {PREFIX}{setting.upper()} to one of these, unless the question below is answered"
    return [HealthFinding("model", "note", what, why, remedy)]


def about_encryption(settings: Settings) -> Iterator[HealthFinding]:
    """Reports a model server to which words travel unencrypted."""
    address = urlsplit(settings.model_url)
    if address.scheme == "http" and not is_loopback(address.hostname or ""):
        why = "what people say, and the key, can be read on the way"
        remedy = "use an https address, or run the model on this machine"
        yield HealthFinding("model address", "note", "the model is asked over http, on another machine", why, remedy)
