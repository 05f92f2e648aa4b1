"""The memory: facts, talk and the space they are in. What every surface (tools, command line, Python) calls.

It only puts them together; each public method is the method of the part that does it.
"""

from collections.abc import Callable

from r_memory.domain.schema import Schema
from r_memory.errors import InvalidInput
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.space.space import Description, Space
from r_memory.talk.talk import Talk

__all__ = ["Description", "Limits", "Memory"]


class Memory:
    """One space of one installation; made by `open_memory`."""

    def __init__(
        self, facts: Facts, talk: Talk, space: Space, *, elsewhere: "Callable[[str], Memory] | None" = None
    ) -> None:
        """`elsewhere` gives the memory of another space on the same store; `None` where there is one space only."""
        self.facts = facts
        self.talk = talk
        self.space = space
        self._elsewhere = elsewhere

        self.find_subject = facts.subjects.resolve
        self.subjects = facts.subjects.all
        self.subjects_named = facts.subjects.named_in
        self.addressed = facts.subjects.addressed

        self.remember = facts.remembering.remember
        self.remember_transcript = facts.remembering.remember_transcript
        self.resume = facts.remembering.resume
        self.unread = facts.remembering.unread

        self.build_context = facts.recalling.build_context
        self.check_text = facts.recalling.check_text
        self.asks = facts.recalling.asks
        self.recognise = facts.recalling.recognise
        self.opens = facts.recalling.opens

        self.list_facts = facts.lists.list_facts
        self.find_fact = facts.lists.find_fact
        self.history = facts.lists.history
        self.receipts = facts.lists.receipts

        self.is_critical = facts.reviewing.is_critical
        self.check_change = facts.reviewing.check_change
        self.change_fact = facts.reviewing.change_fact
        self.request_change = facts.reviewing.request_change
        self.review = facts.reviewing.review
        self.approve = facts.reviewing.approve
        self.dismiss = facts.reviewing.dismiss
        self.store_reviewed = facts.reviewing.store_reviewed

        self.build_turn = talk.build_turn
        self.finish_turn = talk.finish_turn
        self.ingest = talk.ingest

        self.describe = space.describe
        self.audit = space.audit
        self.cypher = space.cypher
        self.verify = space.verify
        self.rebuild = space.rebuild

    @property
    def schema(self) -> Schema:
        """What can be remembered here."""
        return self.facts.reader.schema

    @property
    def limits(self) -> Limits:
        """Sizes that calls are held to."""
        return self.facts.limits

    @property
    def action_types(self) -> tuple[str, ...]:
        """Names of all rows of the table."""
        return tuple(self.facts.reader.table.intents)

    def in_space(self, space: str) -> "Memory":
        """The memory of one space of this installation, which shares nothing with others but store and language.

        Raises:
            InvalidInput: this memory serves one space only, and it is another.
        """
        if space == self.facts.space:
            return self
        if self._elsewhere is None:
            raise InvalidInput("this memory serves one space only; use a token of that space")
        return self._elsewhere(space)
