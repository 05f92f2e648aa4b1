"""What a server offers and says of itself. Light: read before the SDK is imported."""

from dataclasses import dataclass, replace

from r_memory.config.loading import load_domain
from r_memory.config.settings import Settings
from r_memory.domain.card import card

CARD = 1_830
"""Characters of the card in the description of a tool: hosts cut descriptions near 2000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Decided at a server's start, never by a connection or a call."""

    read_only: bool = False
    """Nothing that writes."""
    audit: bool = False
    """Audits over everything stored."""
    hooks: bool = False
    """The tool that a host's hook calls."""
    across: bool = False
    """A check across everybody, where the schema allows one."""
    single_subject: bool = False
    """Calls may leave the subject out."""
    ask: str = ""
    """Ends the sentence that nothing could be read: what to ask people instead."""
    about: str = ""
    """What is remembered, in a few words."""
    card: str = ""
    """What there is to read out of words, told by the tool that takes them."""

    def of(self, settings: Settings) -> "Offer":
        """Returns these tools with what the files of an installation say."""
        schema = load_domain(settings.files, settings.schema).schema
        single = bool(settings.single_subject or schema.owner)
        page = card(schema, most=CARD)
        across = any(relation.across for relation in schema.relations.values())
        told = replace(self, ask=schema.unavailable, about=schema.topics, card=page)
        return replace(told, across=across, single_subject=single)


USUAL = Offer()
"""All tools but those that are asked for, and nothing said of an installation."""
