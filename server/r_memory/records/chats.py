"""Exports of conversations (ChatGPT, Claude) and of other memories (reference server, mem0, COGX) as words to be read.

Of a conversation only the person's own words are evidence; the turn before stays beside them, so that "Yes" is read as
the answer that it is. What another memory holds are its words and not the person's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput
from r_memory.protocols import Turn
from r_memory.records.mapping import instant_of
from r_memory.records.trees import Tree, decoded, of_json
from r_memory.records.values import FileEntry, FilePerson, FileReading, Refused

_BEFORE = 2
"""Turns kept as the context of one."""
_PERSON = "user"
_NAMED = "entity"
"""COGX's kind for a person or thing."""
_COGX = (
    *("name", "content", "value", "description", "fact_text", "subject_ref", "predicate", "object_ref"),
    *("valid_at", "invalid_at", "created_at"),
)


def read_chats(data: bytes, name: str) -> FileReading:
    """Returns the person's turns of all conversations.

    Raises:
        InvalidInput: the file is damaged, or no export of conversations.
    """
    if data.startswith(b"PK"):
        raise InvalidInput(f"{name} is an archive; unpack it and give its conversations.json")
    value = of_json(decoded(data, name), name)
    found = [item for item in _list(value) if isinstance(item, Mapping)]
    entries: list[FileEntry] = []
    refused: list[Refused] = []
    known = False
    for number, conversation in enumerate(found, start=1):
        id_ = str(conversation.get("conversation_id") or conversation.get("uuid") or conversation.get("id") or number)
        if isinstance(conversation.get("mapping"), Mapping):
            turns, left_out = _of_chatgpt(conversation, id_)
        elif isinstance(conversation.get("chat_messages"), list):
            turns, left_out = _of_claude(conversation)
        else:
            continue
        known = True
        refused += left_out
        for place, (key, turn, said_at) in enumerate(turns):
            if turn.role == _PERSON:
                before = tuple(each for _, each, _ in turns[max(0, place - _BEFORE) : place])
                entries.append(
                    FileEntry(
                        id=f"{id_}/{key}",
                        text=turn.text,
                        proposals=(),
                        said_at=said_at,
                        conversation=f"chat/{id_}",
                        before=before,
                    )
                )
    if not known:
        raise InvalidInput(
            f"{name} holds no conversation as ChatGPT or Claude export them; give their conversations.json"
        )
    return FileReading(entries=tuple(entries), refused=tuple(refused))


_Turns = list[tuple[str, Turn, Instant | None]]


def _of_chatgpt(conversation: Tree, id_: str) -> tuple[_Turns, list[Refused]]:
    """Returns the turns of the branch that was shown last, in order, and the turns that the person edited away."""
    mapping = _map(conversation.get("mapping"))
    nodes = {key: node for key, node in mapping.items() if isinstance(node, Mapping)}
    shown: list[str] = []
    here = str(conversation.get("current_node") or next(reversed(nodes), ""))
    while here in nodes and here not in shown:
        shown.append(here)
        here = str(nodes[here].get("parent") or "")
    turns: _Turns = []
    for key in reversed(shown):
        turns += _chatgpt_turn(key, nodes[key])
    gone = [
        key
        for key in nodes
        if key not in set(shown) and any(item.role == _PERSON for _, item, _ in _chatgpt_turn(key, nodes[key]))
    ]
    return turns, [Refused(id=f"{id_}/{key}", reason="the person edited it away") for key in gone]


def _chatgpt_turn(key: str, node: Tree) -> _Turns:
    message = node.get("message")
    if not isinstance(message, Mapping):
        return []
    author, content, meta = (_map(message.get(name)) for name in ("author", "content", "metadata"))
    role = str(author.get("role"))
    if role not in {"user", "assistant"} or meta.get("is_visually_hidden_from_conversation"):
        return []
    if content.get("content_type") not in {"text", "multimodal_text"}:
        return []
    text = "\n".join(part for part in _list(content.get("parts")) if isinstance(part, str)).strip()
    moment = message.get("create_time")
    said_at = int(moment * 1000) if isinstance(moment, int | float) else None
    return [(key, _turn(role, text), said_at)] if text else []


def _of_claude(conversation: Tree) -> tuple[_Turns, list[Refused]]:
    turns: _Turns = []
    refused: list[Refused] = []
    for number, message in enumerate(map(_map, _list(conversation.get("chat_messages"))), start=1):
        key = str(message.get("uuid") or number)
        parts = [_map(part) for part in _list(message.get("content"))]
        text = "\n".join(str(part.get("text")) for part in parts if part.get("type") == "text" and part.get("text"))
        text = (text or str(message.get("text") or "")).strip()
        role = "user" if message.get("sender") == "human" else "assistant"
        if text:
            turns.append((key, _turn(role, text), instant_of(str(message.get("created_at") or ""))))
        for file in map(_map, _list(message.get("attachments"))):
            named = str(file.get("file_name") or "a file")
            refused.append(
                Refused(id=f"{key}/{named}", reason="an attached file is nobody's turn; read it with `ingest`")
            )
    return turns, refused


def _turn(role: str, text: str) -> Turn:
    return Turn(role="user" if role == "user" else "assistant", speaker=role, text=text)


def archived(folder: Path, bytes_of: Callable[[Path], bytes]) -> bytes:
    """Returns all records of a COGX archive.

    Raises:
        InvalidInput: the folder is no archive, or its version cannot be read.
    """
    manifest = _map(of_json(decoded(bytes_of(folder / "manifest.json"), folder.name), folder.name))
    version = str(manifest.get("cogx_version") or "")
    if version.partition(".")[0] != "0":
        raise InvalidInput(f"{folder.name} is no archive of COGX 0 (version '{version[:20]}'); export it as version 0")
    return b"\n".join(bytes_of(part) for part in sorted(folder.glob("*.jsonl")))


def read_memories(data: bytes, name: str) -> FileReading:
    """Returns the entries of another memory, each under its person or thing; raises as `read_chats`."""
    text = decoded(data, name)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
        values: Sequence[object] = [of_json(line, f"{name}, line {at},") for at, line in enumerate(lines, start=1)]
    else:
        whole = of_json(text, name)
        values = [whole] if isinstance(whole, Mapping) else _list(whole)
    named = {
        str(item.get("external_id")): str(item.get("name")) for item in map(_map, values) if item.get("kind") == _NAMED
    }
    found = [item for value in values for item in (*_memories(_map(value)), *_of_cogx(_map(value), named))]
    entries = tuple(item for item in found if isinstance(item, FileEntry))
    refused = tuple(item for item in found if isinstance(item, Refused))
    if not found:
        raise InvalidInput(
            f"{name} holds nothing as the reference memory server, mem0 or cognee (COGX) keep it; what lies in a graph "
            "(Graphiti, neo4j-agent-memory) is exported by cognee as COGX, or by Cypher as a table: `import table`"
        )
    persons = {
        entry.about: FilePerson(ids=frozenset({entry.about}), name=entry.about) for entry in entries if entry.about
    }
    return FileReading(entries=entries, refused=refused, persons=persons)


def _of_cogx(record: Tree, named: Mapping[str, str]) -> Iterator[FileEntry | Refused]:
    """Yields the entries of a COGX record, version 0; a fact belongs to the entity it refers to."""
    kind, id_ = record.get("kind"), str(record.get("external_id") or "")
    told = {key: str(record.get(key) or "").strip() for key in _COGX}
    about = str(_map(record.get("scope")).get("user_id") or "")
    said_at = instant_of(told["valid_at"] or told["created_at"])
    if kind == "episode":
        turns = [_map(turn) for turn in _list(record.get("turns"))]
        words = [_turn(str(turn.get("role")), str(turn.get("content") or "").strip()) for turn in turns]
        for place, (turn, item) in enumerate(zip(turns, words, strict=True)):
            if turn.get("role") == _PERSON and item.text:
                before = tuple(words[max(0, place - _BEFORE) : place])
                at = instant_of(str(turn.get("occurred_at") or "")) or said_at
                yield FileEntry(
                    id=f"{id_}#{place + 1}",
                    text=item.text,
                    proposals=(),
                    said_at=at,
                    about=about,
                    conversation=f"chat/{id_}",
                    before=before,
                )
        return
    if kind == "fact":
        start, end = (named.get(told[key], told[key]) for key in ("subject_ref", "object_ref"))
        about, words_ = start, told["fact_text"] or f"{start} {told['predicate'].replace('_', ' ').casefold()} {end}"
        if told["invalid_at"]:
            yield Refused(id=id_, reason=f"it no longer holds there, since {told['invalid_at']}")
            return
    elif kind == "document":
        yield Refused(id=id_, reason="a document is nobody's turn; read it with `ingest`")
        return
    else:
        about = told["name"] if kind == _NAMED else about
        words_ = told[{"memory": "content", "memory_block": "value", _NAMED: "description"}.get(str(kind), "name")]
    if kind in {"fact", "memory", "memory_block", _NAMED} and words_:
        yield FileEntry(id=id_ or words_, text=words_, proposals=(), said_at=said_at, about=about, role="document")


def _memories(value: Tree) -> Iterator[FileEntry]:
    for inner in ("entities", "relations", "results", "memories"):
        for item in _list(value.get(inner)):
            yield from _memories(_map(item))
    if value.get("name") and isinstance(value.get("observations"), list):
        about = str(value["name"])
        for number, observation in enumerate(_list(value["observations"]), start=1):
            words = _map(observation).get("content", observation)
            if isinstance(words, str) and words.strip():
                yield FileEntry(id=f"{about}#{number}", text=words.strip(), proposals=(), about=about, role="document")
    elif value.get("relationType"):
        start, kind, end = (str(value.get(key) or "") for key in ("from", "relationType", "to"))
        words = f"{start} {kind.replace('_', ' ').casefold()} {end}"
        yield FileEntry(id=f"{start} {kind} {end}", text=words, proposals=(), about=start, role="document")
    elif isinstance(value.get("memory"), str) and value["memory"]:
        about = str(value.get("user_id") or _map(value.get("metadata")).get("user_id") or "")
        said_at = instant_of(str(value.get("created_at") or ""))
        id_ = str(value.get("id") or value["memory"])
        yield FileEntry(id=id_, text=str(value["memory"]), proposals=(), said_at=said_at, about=about, role="document")


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _map(value: object) -> Tree:
    return value if isinstance(value, Mapping) else {}
