"""The case file: one page without network that holds a receipt with its proofs and checks itself in a browser; and the
same check here.

The whole file but its seal is under the signature of the installation, so that a byte changed anywhere shows.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.space.case import case_data, checkpoint_of, strange_words, wrong_with
from r_memory.space.signing import Key, is_signed, public_key, signature

_IN_SEAL = ("digest", "public_key", "signature", "checkpoint_signature")
_DATA = re.compile(r'<script type="application/json" id="data">([^<]*)</script>')
_SEAL = re.compile(r'<script type="application/json" id="seal">([^<]*)</script>')


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of checking a case file."""

    receipt: str
    made_at: str
    public_key: str
    records: int
    wrong: tuple[str, ...]
    """Everything that does not hold; empty for a valid file."""


async def case_file(memory: Memory, receipt_id: str, key: Key, *, given: Mapping[str, str] | None = None) -> str:
    """Returns the complete case file of a receipt.

    Raises:
        InvalidInput: no receipt has the id, or the given words do not match the receipt's digest.
        LedgerBroken: the log is not complete.
    """
    data, made = await case_data(
        memory.facts.store, memory.facts.space, receipt_id, given=given or {}, now=memory.space.clock.now()
    )
    if strange := next(strange_words(data), ""):
        raise InvalidInput(f"{strange}; give it unchanged")
    unsealed = _rendered(data, "")
    digest = hashlib.sha256(unsealed.encode()).hexdigest()
    seal = {
        "digest": digest,
        "public_key": public_key(key),
        "signature": signature(key, _sealed(digest)),
        "checkpoint_signature": signature(key, made.signed),
    }
    return _rendered(data, json.dumps(seal))


def check_case(text: str, *, trusted: str, now: Instant) -> Checked:
    """Returns what is wrong with a case file; `trusted` is the public key that must have signed it.

    Raises:
        InvalidInput: the text is no case file, or only a part of one.
    """
    data_found, seal_found = _DATA.search(text), _SEAL.search(text)
    if data_found is None or seal_found is None:
        raise InvalidInput("this is no case file, or a part of one; take another copy of it")
    try:
        data, seal = json.loads(data_found[1]), json.loads(seal_found[1])
        wrong = [*_wrong_with_seal(text, data, seal, trusted), *wrong_with(data, now=now)]
        return Checked(
            receipt=str(data["receipt"]),
            made_at=str(data["checkpoint"]["made_at"]),
            public_key=str(seal["public_key"]),
            records=len(data["entries"]),
            wrong=tuple(dict.fromkeys(wrong)),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput("this was a case file and cannot be read any more; take another copy") from error


def _wrong_with_seal(text: str, data: Mapping[str, Any], seal: Mapping[str, str], trusted: str) -> Iterator[str]:
    if seal["public_key"] != trusted:
        yield f"it was made by the key {seal['public_key']}, and you trust {trusted}; give --public-key"
    # Not made again from the data: the page of another version differs, and all of it is under the seal.
    unsealed = _SEAL.sub('<script type="application/json" id="seal"></script>', text)
    digest = hashlib.sha256(unsealed.encode("utf-8", "surrogatepass")).hexdigest()
    if digest != seal["digest"] or _SEAL.findall(text) != [json.dumps({name: seal[name] for name in _IN_SEAL})]:
        yield "the file was altered after it was made"
    if not is_signed(_sealed(seal["digest"]), seal["signature"], by=seal["public_key"]):
        yield "the seal was not made by this key"
    if not is_signed(checkpoint_of(data), seal["checkpoint_signature"], by=seal["public_key"]):
        yield "the checkpoint was not signed by this key"


def _sealed(digest: str) -> bytes:
    return json.dumps(["r-memory case 1", digest]).encode()


def _rendered(data: Mapping[str, Any], seal: str) -> str:
    folder = resources.files("r_memory.web").joinpath("case_file")
    page, script, style = (
        folder.joinpath(f"case.{kind}").read_text(encoding="utf-8") for kind in ("html", "js", "css")
    )
    # In an element of data nothing but `<` could end it.
    content = json.dumps(data).replace("<", "\\u003c")
    filled = {
        "@SCRIPT_HASH": _hash(script),
        "@STYLE_HASH": _hash(style),
        "@RECEIPT": re.sub(r"[^A-Za-z0-9-]", "", str(data["receipt"])),
        "@STYLE": style,
        "@DATA": content,
        "@SEAL": seal,
        "@SCRIPT": script,
    }
    return re.sub(r"@[A-Z_]+", lambda found: filled[found[0]], page.strip())


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
