"""CDS Hooks 2.0 as values: what a client sends, what it gets back, and the file that says what is offered.

Own models, as no kept package has them; what the specification leaves open is not asked for.
"""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, StringConstraints
from pydantic.alias_generators import to_camel

from r_memory.config.files import Files
from r_memory.config.names import Listed
from r_memory.config.yaml_lines import FileModel, load, parsed

Hook = Literal["patient-view", "order-select", "order-sign"]
Indicator = Literal["info", "warning", "critical"]
Words = Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
SUMMARY = 139
"""Characters of a summary, which the specification wants shorter than 140."""


class SpecModel(BaseModel):
    """Names in the specification's spelling; what is not asked for is left aside, tokens of the client among it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")

    @property
    def data(self) -> dict[str, JsonValue]:
        """As it goes out: nothing that is empty, as the specification wants it."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


# --- what a client sends ----------------------------------------------------------------------------------------------


class HookRequest(SpecModel):
    """A call of a service."""

    hook: Words
    hook_instance: UUID
    context: dict[str, JsonValue]
    prefetch: dict[str, JsonValue] = {}


class OrderBundle(SpecModel):
    """Draft orders; the type of the bundle is left open, as the specification's own examples have none."""

    resource_type: Literal["Bundle"]
    entry: tuple[dict[str, JsonValue], ...] = ()


class PatientView(SpecModel):
    """A chart is opened."""

    user_id: Words
    patient_id: Words


class OrderSign(PatientView):
    """Orders are about to be signed."""

    draft_orders: OrderBundle


class OrderSelect(OrderSign):
    """Orders are selected; only these are judged, the others are what goes on beside."""

    selections: Annotated[tuple[Words, ...], Field(min_length=1)]


CONTEXTS: dict[Hook, type[PatientView]] = {
    "patient-view": PatientView,
    "order-select": OrderSelect,
    "order-sign": OrderSign,
}


class Coding(SpecModel):
    """A coding."""

    system: str | None = None
    code: str
    display: str | None = None


class OverrideReason(SpecModel):
    """Why a card was not followed."""

    reason: Coding | None = None
    user_comment: Words | None = None


class AcceptedSuggestion(SpecModel):
    """A suggestion that was taken."""

    id: UUID


class CardFeedback(SpecModel):
    """What became of a card."""

    card: UUID
    outcome: Literal["accepted", "overridden"]
    override_reason: OverrideReason | None = None
    accepted_suggestions: tuple[AcceptedSuggestion, ...] = ()
    outcome_timestamp: AwareDatetime


class Feedback(SpecModel):
    """What became of cards."""

    feedback: Annotated[tuple[CardFeedback, ...], Field(min_length=1, max_length=100)]


# --- what it gets back ------------------------------------------------------------------------------------------------


class CardSource(SpecModel):
    """Where a card comes from."""

    label: str


class Action(SpecModel):
    """What a suggestion does; r-memory chooses no other order, it only offers to take one away."""

    type: Literal["delete"] = "delete"
    description: str
    resource_id: str


class Suggestion(SpecModel):
    """Something that a card offers."""

    label: str
    uuid: str
    actions: tuple[Action, ...]


class Card(SpecModel):
    """What a clinician reads."""

    uuid: str | None = None
    """By which feedback names it; of a card that nothing can be said against there is none."""
    summary: Annotated[str, StringConstraints(min_length=1, max_length=SUMMARY)]
    detail: str | None = None
    indicator: Indicator
    source: CardSource
    suggestions: tuple[Suggestion, ...] | None = None
    selection_behavior: Literal["at-most-one"] | None = None
    override_reasons: tuple[Coding, ...] | None = None


class Cards(SpecModel):
    """An answer."""

    cards: tuple[Card, ...]


# --- what is offered --------------------------------------------------------------------------------------------------


class ServiceForm(FileModel):
    """One service."""

    id: str
    title: str
    description: str


class CdsForm(FileModel):
    """`schema/records/cds_hooks.yaml`."""

    version: Literal[1]
    source: str
    services: dict[Hook, ServiceForm]
    prefetch: dict[str, str]
    needed: Listed[str]
    orders: dict[str, Listed[str]]
    not_ordered: Listed[str]
    draft: str
    remove: str
    override_system: str
    override_reasons: dict[str, str]

    @property
    def discovery(self) -> dict[str, JsonValue]:
        """What a client finds out first."""
        offered: list[JsonValue] = [
            {"hook": hook, **service.model_dump(), "prefetch": dict(self.prefetch)}
            for hook, service in self.services.items()
        ]
        return {"services": offered}

    @property
    def reasons(self) -> tuple[Coding, ...]:
        """What a clinician may choose from."""
        return tuple(
            Coding(system=self.override_system, code=code, display=shown)
            for code, shown in self.override_reasons.items()
        )


def load_cds(files: Files) -> CdsForm:
    """What is offered; raises ConfigurationError with file and line."""
    return parsed(load(files.read("schema/records/cds_hooks.yaml")), CdsForm, {})
