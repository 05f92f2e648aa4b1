"""`proxy`: the gates in front of a model server."""

import os
from typing import Annotated

from typer import Option

from r_memory.cli.options import Home, Space, settings_of
from r_memory.config.gates_file import FILE, load_gates
from r_memory.config.loading import load_domain
from r_memory.errors import ConfigurationError
from r_memory.gates.gates import Gates
from r_memory.gates.proxy.app import ProxyPlan, application
from r_memory.serving.http.door import behind_door
from r_memory.serving.http.plan import HttpPlan, is_safe_url, parse_address
from r_memory.serving.http.serving import run
from r_memory.serving.logs import log_to_standard_error
from r_memory.serving.server import opened
from r_memory.serving.tools.calls import SharedMemory


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
    )
    shared = SharedMemory(lambda: opened(settings), ask=schema.unavailable)
    gates = Gates(shared.get, policy, ask=schema.unavailable)
    run(served, lambda: behind_door(application(gates, plan, beside=shared.running), served), path="/v1")


def _key_for(upstream: str, variable: str) -> str:
    """Returns the key that a variable holds for the upstream; empty if none is named.

    Raises:
        ConfigurationError: the upstream is no address, or the key is missing or would travel unencrypted.
    """
    if not upstream.startswith(("https://", "http://")) or "?" in upstream or "@" in upstream:
        raise ConfigurationError("--upstream must be an address such as https://HOST/v1, without a password or a query")
    key = os.environ.get(variable, "") if variable else ""
    if variable and not key:
        raise ConfigurationError(f"the variable {variable} holds nothing; set it to the upstream's key")
    if key and not is_safe_url(upstream):
        raise ConfigurationError("the upstream's key would travel unencrypted; use https, or a server of this machine")
    return key
