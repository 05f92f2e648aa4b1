"""The clinical pack as it ships, asked through the recaller: what must fire, what must not, and how it reads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import Loaded, load_domain
from r_memory.domain.blocks import Recall, RuleLine
from r_memory.domain.facts import HAS_INGREDIENT, Attribute, Entity, Status, concept
from r_memory.domain.instants import Instant
from r_memory.domain.knowledge import MEMBER_OF
from r_memory.facts.recall.rendering import render
from r_memory.reading.linking import Gazetteer
from r_memory.serving.tools.models import RuleOut
from tests.scripted import ScriptedClassifier
from tests.unit.facts.recall.world import DAY, JOHN, NOW, SAID, Ledger, recaller

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, kw_only=True)
class SaidFact:
    """One thing that was said of the patient."""

    relation: str
    type: str
    name: str
    attrs: dict[str, Attribute] = field(default_factory=dict)
    status: Status = Status.ACTIVE
    at: Instant = SAID


@dataclass(frozen=True)
class Clinic:
    """The shipped domain over the oracle store."""

    domain: Loaded
    linker: Gazetteer

    async def asked(self, query: str, *told: SaidFact, action: str = "MED_ORDER", now: Instant = NOW) -> Recall:
        ledger = Ledger(schema=self.domain.schema)
        for fact in told:
            ledger.hear(
                fact.relation,
                concept(fact.type, fact.name),
                fact.status,
                evidence="Said.",
                at=fact.at,
                attrs=fact.attrs,
            )
        asks = recaller(
            ledger,
            classifier=ScriptedClassifier(action),
            linker=self.linker,
            table=self.domain.intents,
            knowledge=self.domain.knowledge,
            now=now,
        )
        return await asks.build_context(query, subject=JOHN)


@pytest.fixture(scope="module")
def clinic() -> Clinic:
    domain = load_domain(Files(), "clinical")
    return Clinic(domain, Gazetteer(domain.schema.lexicon))


def takes(name: str, type_: str = "Drug") -> SaidFact:
    return SaidFact(relation="TAKES", type=type_, name=name)


def has(name: str, status: Status = Status.ACTIVE) -> SaidFact:
    return SaidFact(relation="HAS_CONDITION", type="Condition", name=name, status=status)


def family(name: str) -> SaidFact:
    return SaidFact(relation="HAS_FAMILY_HISTORY", type="Condition", name=name, attrs={"relative": "father"})


def measured(name: str, value: float, at: Instant = NOW - DAY) -> SaidFact:
    return SaidFact(relation="HAS_MEASUREMENT", type="Measurement", name=name, attrs={"value": value}, at=at)


def aged(name: str, value: float) -> SaidFact:
    return SaidFact(relation="HAS_AGE", type="Age", name=name, attrs={"value": value}, at=NOW - DAY)


def along(weeks: int) -> SaidFact:
    attrs: dict[str, Attribute] = {"weeks": weeks}
    return SaidFact(relation="HAS_GESTATION", type="Gestation", name="gestation", attrs=attrs, at=NOW - DAY)


def pregnant(weeks: int) -> SaidFact:
    attrs: dict[str, Attribute] = {"weeks": weeks}
    return SaidFact(relation="HAS_CONDITION", type="Condition", name="pregnancy", attrs=attrs, at=NOW - DAY)


def reacted(name: str, reaction: str, relation: str = "HAS_ALLERGY_TO", type_: str = "Drug") -> SaidFact:
    return SaidFact(relation=relation, type=type_, name=name, attrs={"reaction": reaction})


def implant(name: str) -> SaidFact:
    return SaidFact(relation="HAS_IMPLANTS", type="Device", name=name)


def named(recall: Recall, rule_id: str) -> RuleLine:
    (line,) = [line for line in recall.rules if line.rule_id == rule_id]
    return line


def stops(recall: Recall) -> Sequence[str]:
    return [line.text for line in recall.rules if line.stop and not line.open]


FIRES: list[tuple[str, str, tuple[SaidFact, ...]]] = [
    ("metformin below 30", "CT abdomen with contrast", (takes("metformin"), measured("eGFR", 24))),
    ("metformin ordered below 30", "start metformin", (measured("eGFR", 24),)),
    ("nitrate, then PDE5", "sildenafil for tonight", (takes("nitroglycerin"),)),
    ("PDE5, then nitrate", "isosorbide mononitrate please", (takes("tadalafil"),)),
    ("a nitrate by its class", "Viagra", (takes("nitrate", "DrugClass"),)),
    ("ACE angioedema, another ACE", "ramipril 5 mg", (reacted("lisinopril", "angioedema"),)),
    ("ACE angioedema as intolerance", "Entresto", (reacted("enalapril", "angioedema", "HAS_INTOLERANCE_TO"),)),
    ("ACE angioedema in a combination", "lisinopril-hydrochlorothiazide", (reacted("captopril", "throat swelling"),)),
    ("ACE and sacubitril", "switch to Entresto", (takes("enalapril"),)),
    ("malignant hyperthermia, self", "use sevoflurane", (has("malignant hyperthermia"),)),
    ("malignant hyperthermia, family", "give succinylcholine", (family("malignant hyperthermia"),)),
    ("triptan and coronary disease", "sumatriptan for the migraine", (has("coronary artery disease"),)),
    ("triptan and stroke", "rizatriptan", (has("stroke"),)),
    ("NSAID at 24 weeks", "ibuprofen 400", (has("pregnancy"), along(24))),
    ("NSAID at 24 weeks, said with the pregnancy", "ibuprofen 400", (pregnant(24),)),
    ("warfarin at a high INR", "Warfarin 5 mg tonight.", (measured("INR", 9.1),)),
    ("codeine at 8 years", "codeine syrup", (aged("age", 8),)),
    ("tramadol at 11 years", "tramadol", (aged("age", 11),)),
    ("propranolol in asthma", "propranolol for tremor", (has("asthma"),)),
    ("gadolinium group I", "gadodiamide", (measured("eGFR", 22),)),
    ("abacavir and its gene", "abacavir", (has("HLA-B*57:01"),)),
    ("carbamazepine and its gene", "Tegretol", (has("HLA-B*15:02"),)),
    ("aromatic after a skin reaction", "lamotrigine", (reacted("phenytoin", "Stevens-Johnson syndrome"),)),
    ("AERD", "ketorolac for pain", (has("aspirin-exacerbated respiratory disease"),)),
    ("asthma and a reaction to aspirin", "naproxen", (has("asthma"), reacted("aspirin", "difficulty breathing"))),
    ("pregnancy and an ARB in Hyzaar", "Hyzaar", (has("pregnancy"),)),
    ("pregnancy and isotretinoin", "Accutane", (has("pregnancy"),)),
    ("pregnancy and methotrexate", "methotrexate", (has("pregnancy"),)),
    ("MAOI and SSRI", "sertraline", (takes("phenelzine"),)),
    ("G6PD", "rasburicase", (has("G6PD deficiency"),)),
    ("live vaccine", "give the MMR", (has("pregnancy"),)),
    ("mechanical valve", "dabigatran", (implant("mechanical heart valve"),)),
    ("HIT and another heparin", "enoxaparin 40 mg", (has("heparin-induced thrombocytopenia"),)),
    ("low platelets and a heparin", "dalteparin", (reacted("heparin", "low platelets", "HAS_INTOLERANCE_TO"),)),
]


@pytest.mark.proves("Z01")
@pytest.mark.parametrize(("query", "told"), [row[1:] for row in FIRES], ids=[row[0] for row in FIRES])
async def test_an_undisputed_stop_fires_on_what_is_recorded(
    clinic: Clinic, query: str, told: tuple[SaidFact, ...]
) -> None:
    recall = await clinic.asked(query, *told)

    assert stops(recall), [line.rule_id for line in recall.rules]
    assert all(line.tier == "A" and line.facts and line.source for line in recall.rules if line.stop)


SILENT: list[tuple[str, str, tuple[SaidFact, ...]]] = [
    ("good kidneys", "CT abdomen with contrast", (takes("metformin"), measured("eGFR", 88))),
    ("an adult", "codeine", (aged("age", 40),)),
    ("early pregnancy", "ibuprofen", (has("pregnancy"), along(8))),
    ("an INR in range", "warfarin tonight", (measured("INR", 2.4),)),
    ("denied asthma", "propranolol", (has("asthma", Status.NEGATED),)),
    ("gene absent", "abacavir", (has("HLA-B*57:01", Status.NEGATED),)),
    ("cough is no angioedema", "ramipril", (reacted("lisinopril", "cough", "HAS_INTOLERANCE_TO"),)),
    ("rash is no severe skin reaction", "lamotrigine", (reacted("phenytoin", "rash"),)),
    ("the same drug again", "lisinopril", (takes("lisinopril"),)),
    ("a father's asthma", "propranolol", (family("asthma"),)),
]


@pytest.mark.proves("Z27")
@pytest.mark.parametrize(("query", "told"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT])
async def test_no_stop_fires_where_what_is_recorded_speaks_against_it(
    clinic: Clinic, query: str, told: tuple[SaidFact, ...]
) -> None:
    recall = await clinic.asked(query, *told)

    assert [line.rule_id for line in recall.rules if line.stop] == []


async def test_metformin_and_contrast_by_kidney_function(clinic: Clinic) -> None:
    query, drug = "CT abdomen with contrast", takes("metformin")

    unknown = await clinic.asked(query, drug)
    low = await clinic.asked(query, drug, measured("eGFR", 25))
    middle = await clinic.asked(query, drug, measured("eGFR", 45))

    ask = named(unknown, "metformin-contrast-egfr-30")
    assert (ask.tier, ask.open) == ("A", ("eGFR below 30: not recorded: ask",))
    assert named(low, "metformin-contrast-egfr-30").open == ()
    assert {fact.object.name for fact in named(low, "metformin-contrast-egfr-30").facts} == {"Metformin", "eGFR"}
    both = named(middle, "metformin-contrast-egfr-60")
    assert (both.tier, both.stop) == ("C", False)
    assert "label" in both.action
    assert "ACR" in both.action
    assert "metformin-contrast-egfr-30" not in [line.rule_id for line in middle.rules]


@pytest.mark.proves("Z34")
async def test_an_old_kidney_value_proves_nothing_and_a_pregnancy_is_verified(clinic: Clinic) -> None:
    old = measured("eGFR", 88, at=NOW - 200 * DAY)

    (ask,) = [
        line
        for line in (await clinic.asked("CT with contrast", takes("metformin"), old)).rules
        if line.rule_id == "metformin-contrast-egfr-30"
    ]
    pregnant = await clinic.asked("ibuprofen", has("pregnancy"), now=SAID + 46 * 7 * DAY)
    asthmatic = await clinic.asked("ibuprofen", has("asthma"), now=SAID + 46 * 7 * DAY)

    assert ask.open[0].startswith("eGFR below 30: recorded 88 on 2026-05-05")
    assert [line.stale for line in pregnant.lines] == [True]
    assert "stale: verify" in render(pregnant)
    assert [line.stale for line in asthmatic.lines] == [False]


async def test_an_unknown_pacemaker_before_magnetic_resonance_is_identified_not_refused(clinic: Clinic) -> None:
    recall = await clinic.asked("book magnetic resonance imaging", implant("pacemaker"), action="IMAGING_MRI")

    line = named(recall, "mri-pacemaker")
    assert (line.stop, line.condition) == (True, "type of the device unknown")
    assert line.action.startswith("stop and identify the device")
    assert not any(word in line.action for word in ("refuse", "never", "must not"))


async def test_the_action_alone_names_the_scan(clinic: Clinic) -> None:
    ledger = Ledger(schema=clinic.domain.schema)
    ledger.hear("HAS_IMPLANTS", concept("Device", "pacemaker"))
    asks = recaller(
        ledger,
        classifier=ScriptedClassifier(),
        linker=clinic.linker,
        table=clinic.domain.intents,
        knowledge=clinic.domain.knowledge,
    )

    recall = await asks.build_context("into the big magnet", subject=JOHN, intents=["IMAGING_MRI"])

    assert "mri-pacemaker" in [line.rule_id for line in recall.rules]


@pytest.mark.proves("Z02")
@pytest.mark.parametrize("product", ["Percocet", "Vicodin", "Tylenol 3", "Fioricet", "Norco", "Endocet"])
async def test_the_limit_of_acetaminophen_fires_on_every_product_that_hides_it(clinic: Clinic, product: str) -> None:
    recall = await clinic.asked(f"prescribe {product}", takes("acetaminophen"))

    line = named(recall, "acetaminophen-4g")
    assert "contains Acetaminophen" in line.text
    assert "at most 4 g in 24 h" in line.text
    assert [fact.object.name for fact in line.facts] == ["Acetaminophen"]


@pytest.mark.proves("Z28")
async def test_a_tolerance_is_shown_beside_the_allergy_and_cancels_nothing(clinic: Clinic) -> None:
    recall = await clinic.asked(
        "give cefazolin",
        reacted("penicillin", "hives", type_="DrugClass"),
        SaidFact(relation="TOLERATES", type="Drug", name="cefazolin"),
    )

    allergy, tolerated = recall.lines
    assert (allergy.rank, allergy.fact.relation) == ("critical", "HAS_ALLERGY_TO")
    assert [(match.tier, match.rate[:4]) for match in allergy.matches] == [("B", "0.7%")]
    assert tolerated.fact.relation == "TOLERATES"


@pytest.mark.proves("Z29")
async def test_an_intolerance_stays_one_and_severe_angioedema_stays_critical(clinic: Clinic) -> None:
    nausea = await clinic.asked("codeine", reacted("codeine", "vomiting", "HAS_INTOLERANCE_TO"))
    angioedema = await clinic.asked("lisinopril", reacted("lisinopril", "angioedema", "HAS_INTOLERANCE_TO"))

    assert nausea.lines[0].text.startswith("INTOLERANCE:")
    assert angioedema.lines[0].rank == "critical"
    assert stops(angioedema)


@pytest.mark.proves("Z27")
async def test_a_shared_side_chain_reads_as_one_with_rate_and_source(clinic: Clinic) -> None:
    recall = await clinic.asked("cephalexin", reacted("ampicillin", "hives"))

    (match,) = recall.lines[0].matches
    assert match.text == "Cephalexin shares the R1 side chain with Ampicillin"
    assert match.rate.startswith("16.45%")
    assert match.source.startswith("Picard 2019")
    assert not match.reviewed


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ("methotrexate 10 mg", "methotrexate-weekly"),
        ("order an MRI", "mri-screen"),
        ("abacavir", "abacavir-hla-b-5701"),
    ],
)
async def test_a_rule_that_needs_no_fact_is_shown_but_stops_nothing(clinic: Clinic, query: str, rule: str) -> None:
    line = named(await clinic.asked(query), rule)

    assert (line.stop, line.facts) == (False, ())


@pytest.mark.proves("Z27")
@pytest.mark.parametrize("query", ["amoxicillin for sinusitis", "give an antibiotic", "lisinopril 10 mg", "cefazolin"])
async def test_an_ordinary_order_for_somebody_without_facts_brings_no_rule(clinic: Clinic, query: str) -> None:
    assert (await clinic.asked(query)).rules == ()


async def test_rules_are_cards_for_a_hospital(clinic: Clinic) -> None:
    recall = await clinic.asked("sildenafil", takes("nitroglycerin"))

    card = RuleOut.of(named(recall, "pde5-nitrate"))

    assert card.summary == "DOMAIN RULE: Sildenafil (PDE5 inhibitor): not with Nitroglycerin (Nitrate)."
    assert (card.indicator, len(card.summary) < 140, card.reviewed) == ("critical", True, False)
    assert card.fact_ids == [recall.lines[-1].fact.fact_id]


async def test_every_rule_of_the_pack_can_be_made_a_card(clinic: Clinic) -> None:
    ids = [rule.id for rule in clinic.domain.knowledge.rules]

    assert len(ids) == len(set(ids)) > 150
    assert all(rule.tier and rule.source and rule.line for rule in clinic.domain.knowledge.rules)


async def test_the_pack_links_more_concepts_than_were_promised(clinic: Clinic) -> None:
    linked = {uid for link in clinic.domain.knowledge.links for uid in (link.start, link.end)}

    assert len(linked) > 250
    assert all(link.source for link in clinic.domain.knowledge.links)
    assert all(link.checked_by for link in clinic.domain.knowledge.links if link.rule and link.reviewed)


SIBLINGS = [
    ("simvastatin", "atorvastatin", "B", "no rate known"),
    ("sumatriptan", "rizatriptan", "B", "no rate known"),
    ("lisinopril", "ramipril", "A", "angioedema"),
    ("ciprofloxacin", "levofloxacin", "B", "variable"),
    ("heparin", "enoxaparin", "A", "heparin-induced"),
    ("cephalexin", "cefaclor", "B", "16.45%"),
    ("cephalexin", "cefuroxime", "B", "no shared R1 side chain"),
    ("sitagliptin", "linagliptin", "B", "no rate known"),
]


@pytest.mark.proves("Z01", "Z27")
@pytest.mark.parametrize(("one", "other", "tier", "rate"), SIBLINGS)
async def test_siblings_of_a_class_meet_in_both_directions_with_what_is_known_of_the_rate(
    clinic: Clinic, one: str, other: str, tier: str, rate: str
) -> None:
    for recorded, asked in ((one, other), (other, one)):
        recall = await clinic.asked(asked, SaidFact(relation="HAS_ALLERGY_TO", type="Drug", name=recorded))
        (match,) = recall.lines[0].matches

        assert (match.level, match.tier) == ("class", tier)
        assert rate in match.rate
        assert match.source


@pytest.mark.proves("Z27")
async def test_classes_by_use_make_no_siblings(clinic: Clinic) -> None:
    recall = await clinic.asked("trimethoprim", SaidFact(relation="HAS_ALLERGY_TO", type="Drug", name="vancomycin"))

    assert recall.lines[0].matches == ()


@pytest.mark.proves("Z29")
async def test_an_intolerance_by_class_is_told_as_one_and_stops_nothing(clinic: Clinic) -> None:
    upset = reacted("amoxicillin", "diarrhea", "HAS_INTOLERANCE_TO")
    (match,) = (await clinic.asked("penicillin V", upset)).lines[0].matches

    assert (match.level, match.tier) == ("class", "B")
    assert "intolerance, not as an allergy" in match.action


async def test_a_class_that_was_said_itself_holds_of_its_members_whatever_the_rate_among_them(clinic: Clinic) -> None:
    (match,) = (
        (await clinic.asked("atorvastatin", SaidFact(relation="HAS_ALLERGY_TO", type="DrugClass", name="statin")))
        .lines[0]
        .matches
    )

    assert (match.text, match.tier, match.rate) == ("Atorvastatin is a Statin", "", "")


CONTAINS = [
    ("gelatin", "Food", "give the MMR", "A"),
    ("egg", "Food", "Stamaril 0.5 mL", "A"),
    ("egg", "Food", "MMR today", "C"),
    ("macrogol", "Drug", "Comirnaty booster", "A"),
    ("macrogol", "Drug", "Depo-Medrol injection", "B"),
    ("peanut", "Food", "start Prometrium", "A"),
    ("milk", "Food", "Seretide twice a day", "A"),
    ("sulfite", "Food", "EpiPen", "C"),
    ("chlorhexidine", "Material", "Instillagel", ""),
    ("penicillin", "DrugClass", "Augmentin", "A"),
]


@pytest.mark.proves("Z02", "Z27")
@pytest.mark.parametrize(("allergen", "type_", "query", "tier"), CONTAINS)
async def test_what_a_product_holds_meets_an_allergy_to_it_graded_where_guidance_grades_it(
    clinic: Clinic, allergen: str, type_: str, query: str, tier: str
) -> None:
    recall = await clinic.asked(query, SaidFact(relation="HAS_ALLERGY_TO", type=type_, name=allergen))

    assert [match.tier for match in recall.lines[0].matches] == [tier]


async def test_an_excipient_in_common_is_only_a_possible_culprit(clinic: Clinic) -> None:
    vaccine = SaidFact(relation="HAS_ALLERGY_TO", type="Drug", name="MMR vaccine")
    (match,) = (await clinic.asked("varicella vaccine", vaccine)).lines[0].matches

    assert (match.level, match.tier) == ("ingredient", "B")


def test_whatever_a_rule_speaks_of_can_be_named(clinic: Clinic) -> None:
    """A rule about a condition that no word of the lexicon stands for fires for nobody: so DPYD deficiency once."""
    pack, terms = clinic.domain.knowledge, clinic.domain.schema.lexicon.terms
    below = {above for uid in pack.concepts if _is_term(pack.concepts[uid], terms) for above in pack.upward(uid, _ANY)}
    sides = [side for rule in pack.rules for side in (rule.start, rule.end) if side.needed]
    assert [uid for side in sides for uid in side.concepts if uid not in below] == []


_ANY = {MEMBER_OF: 9, HAS_INGREDIENT: 9}


def _is_term(known: Entity, terms: Mapping[str, Mapping[str, object]]) -> bool:
    return known.id in {name.casefold() for name in terms.get(known.type, ())}
