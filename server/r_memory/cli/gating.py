"""`proxy` and `hook`: the doors of the gates at the command line; `receipts`: what was shown, asked and decided."""

import os
import sys
from typing import Annotated

import typer
from typer import Argument, Option

from r_memory.cli import GIVEN
from r_memory.cli.options import Home, Space, Subject, settings_of
from r_memory.cli.printing import Answer, Grid, day_of, on_settings
from r_memory.cli.running import with_memory
from r_memory.config.gates_file import FILE, load_gates
from r_memory.config.loading import load_domain
from r_memory.config.settings import Settings
from r_memory.domain.blocks import Receipt
from r_memory.domain.instants import iso
from r_memory.errors import ConfigurationError, RMemoryError
from r_memory.memory import Memory
from r_memory.text.inert import inert_name


def proxy(
    upstream: Annotated[str, Option("--upstream", metavar="URL", help="Base address of the model server, up to /v1.")],
    listen: Annotated[str, Option("--listen", metavar="HOST:PORT", help="Where it answers.")] = "127.0.0.1:8787",
    upstream_key_env: Annotated[
        str,
        Option(
            "--upstream-key-env",
            metavar="NAME",
            help="Variable that holds the upstream's key, sent in place of the caller's.",
        ),
    ] = "",
    timeout: Annotated[
        float, Option("--timeout", metavar="S", min=1, help="Seconds of silence of the upstream.")
    ] = 600,
    home: Home = None,
    space: Space = None,
) -> None:
    """Answers OpenAI clients in front of another server, with both gates in between.

    What must be known stands in front of each request, and what stands against an answer or a tool call keeps it back,
    as gates.yaml says. On any address but this machine's own, gates.yaml must name the keys of those who may call.
    """
    from r_memory.gates.gates import Gates  # noqa: PLC0415 - late, like all of what serves: other commands need none
    from r_memory.gates.proxy.app import ProxyPlan, application  # noqa: PLC0415
    from r_memory.serving.http.plan import HttpPlan, parse_address  # noqa: PLC0415
    from r_memory.serving.http.serving import run  # noqa: PLC0415
    from r_memory.serving.logs import log_to_standard_error  # noqa: PLC0415
    from r_memory.serving.tools.calls import SharedMemory  # noqa: PLC0415
    from r_memory.wiring import open_memory  # noqa: PLC0415

    settings = settings_of(home, space)
    schema = load_domain(settings.files, settings.schema).schema
    policy = load_gates(settings.files, schema)
    served = HttpPlan(settings=settings, address=parse_address(listen))
    if not policy.keys and not served.address.loopback:
        raise ConfigurationError(
            f"whoever reaches {served.address.host} could use this proxy, as no key is asked for; name those who may "
            f"under `keys` in {FILE}, or listen on 127.0.0.1"
        )
    key = _key_for(upstream, upstream_key_env)
    log_to_standard_error()
    plan = ProxyPlan(
        upstream=upstream,
        single_subject=settings.single_subject,
        upstream_key=key,
        timeout_s=timeout,
        hosts=served.hosts,
    )
    shared = SharedMemory(lambda: open_memory(settings), ask=schema.unavailable)
    gates = Gates(shared.get, policy, ask=schema.unavailable)
    run(served, lambda: application(gates, plan, beside=shared.running), path="/v1")


def _key_for(upstream: str, variable: str) -> str:
    """Returns the key that a variable holds for the upstream; empty if none is named.

    Raises:
        ConfigurationError: the upstream is no address, or the key is missing or would travel unencrypted.
    """
    from r_memory.serving.http.plan import is_safe_url  # noqa: PLC0415 - late, see `proxy`

    if not upstream.startswith(("https://", "http://")) or "?" in upstream or "@" in upstream:
        raise ConfigurationError("--upstream must be an address such as https://HOST/v1, without a password or a query")
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise ConfigurationError(f"the variable {variable} holds nothing; set it to the upstream's key")
    if key and not is_safe_url(upstream):
        raise ConfigurationError("the upstream's key would travel unencrypted; use https, or a server of this machine")
    return key


def hook(
    event: Annotated[str, Argument(metavar="EVENT", help="The client's own name of it, such as PreToolUse or stop.")],
    home: Home = None,
    space: Space = None,
) -> None:
    """Answers a hook of Claude Code, Codex or Cursor, in the client's form.

    It reads the event on standard input; beside a server of the same settings, that one answers at once. Whatever goes
    wrong follows `unavailable` of gates.yaml: with `stop`, the exit code is 2, by which the clients stop.
    """
    from r_memory.gates.hooks import HookAnswer, Sessions, answer, not_understood, parsed  # noqa: PLC0415 - late: the help needs none of it
    from r_memory.wiring import gates_over  # noqa: PLC0415

    given = GIVEN[-1] if GIVEN else sys.stdin.buffer.read()
    settings: Settings | None = None
    try:
        settings = settings_of(home, space)
        parsed(event, given)  # what nobody understands opens no memory
        with_settings = settings

        async def told(memory: Memory) -> HookAnswer:
            gates = gates_over(memory, with_settings)
            return await answer(event, given, gates, Sessions(with_settings.cache_dir / "gates"))

        found = with_memory(settings, told)
    except RMemoryError as error:
        stops, ask = _policy(settings)
        found = not_understood(event, str(error), ask, stops=stops)
    except Exception as error:  # noqa: BLE001 - a hook that fails lets a client go on: whatever it is, it is said
        found = not_understood(event, f"unexpected {type(error).__name__}", "Ask before acting.", stops=True)
    code, out, said = found.printed
    sys.stdout.write(out.decode())
    sys.stderr.write(said.decode())
    if code:
        raise typer.Exit(code)


def _policy(settings: Settings | None) -> tuple[bool, str]:
    """Returns whether the policy stops without a memory, and the question to ask then.

    It stops if the policy cannot be read.
    """
    try:
        if settings is not None:
            schema = load_domain(settings.files, settings.schema).schema
            return load_gates(settings.files, schema).unavailable == "stop", schema.unavailable
    except ConfigurationError:
        pass
    return True, "Ask before acting."


@on_settings
def receipts(
    settings: Settings,
    receipt: Annotated[str, Argument(metavar="[ID]", help="One receipt, whole.")] = "",
    subject: Subject = "",
    gates: Annotated[bool, Option("--gates", help="Only what gates decided.")] = False,
    limit: Annotated[int, Option("--limit", metavar="N", min=1, max=10_000, help="Most of them, the newest.")] = 50,
) -> Answer:
    """Lists what was shown about somebody, and what gates asked and decided.

    The newest comes first. Of one receipt the block is shown as it stood. `asked`, `stood` and `answered` are the
    sha256 of request, block and answer, each behind `digest_salt` and a newline.
    """

    async def read(memory: Memory) -> tuple[Receipt, ...]:
        if receipt:
            found = await memory.facts.store.receipt(memory.facts.space, receipt)
            return () if found is None else (found,)
        return await memory.receipts(subject=subject, limit=limit if not gates else 10_000)

    found = [item for item in with_memory(settings, read) if item.gate.gate or not gates][:limit]
    data = [_told(item) for item in found]
    if receipt:
        data = [{**one, "block": kept.block} for one, kept in zip(data, found, strict=True)]
        shown = [f"{name}: {value}" for datum in data for name, value in datum.items() if value not in ("", [], None)]
        return Answer(data=data, shown=shown or ["No receipt has this id."])
    rows = (
        (
            day_of(item.shown_at, time=True),
            item.gate.gate or "shown",
            item.gate.decision,
            item.gate.verdict,
            len(item.fact_ids),
            item.complete,
            inert_name(item.shown_to),
            item.id,
        )
        for item in found
    )
    columns = ("when", "gate", "decided", "verdict", "facts", "complete", "to", "receipt")
    return Answer(data=data, shown=[Grid(columns, rows)] if found else ["Nothing was shown yet."])


def _told(receipt: Receipt) -> dict[str, object]:
    gate = receipt.gate
    return {
        "receipt": receipt.id,
        "shown_at": iso(receipt.shown_at),
        "shown_to": receipt.shown_to,
        "gate": gate.gate,
        "decision": gate.decision,
        "verdict": gate.verdict,
        "complete": receipt.complete,
        "intents": list(receipt.intents),
        "fact_ids": list(receipt.fact_ids),
        "rule_ids": list(receipt.rule_ids),
        "asked": gate.asked,
        "stood": gate.stood,
        "answered": gate.answered,
        "digest_salt": gate.digest_salt,
        "watermark": receipt.watermark,
    }
