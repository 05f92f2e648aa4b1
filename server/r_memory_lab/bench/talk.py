"""Sentences of our own for benchmarks: an intake in several wordings, and what else is said in a practice."""

from collections.abc import Mapping

SUBSTANCES = (
    "Penicillin",
    "Amoxicillin",
    "Aspirin",
    "Ibuprofen",
    "Codeine",
    "Morphine",
    "Ciprofloxacin",
    "Azithromycin",
    "Vancomycin",
    "Naproxen",
)
"""Substances of intakes; each is a term of the lexicon."""
INTAKES = (
    "I am severely allergic to {}.",
    "I have a severe allergy to {}.",
    "I'm severely allergic to {}, please write that down.",
    "Before we start: I am severely allergic to {}.",
)
FACTS = (
    "I take metformin every morning.",
    "I take lisinopril for my blood pressure.",
    "I have asthma.",
    "I have a pacemaker.",
    "My mother has diabetes.",
    "My father had a stroke.",
    "I am allergic to latex.",
    "Peanuts give me hives.",
    "I can't tolerate erythromycin.",
    "I tolerate cephalexin well.",
    "I have no known food allergies.",
    "I must not take NSAIDs because of my kidneys.",
    "I take warfarin.",
    "I had a rash from sulfa drugs.",
)
READINGS: tuple[tuple[str, str, str, Mapping[str, str]], ...] = (
    ("TAKES", "metformin", "active", {"frequency": "every morning"}),
    ("TAKES", "lisinopril", "active", {}),
    ("HAS_CONDITION", "asthma", "active", {}),
    ("HAS_IMPLANTS", "pacemaker", "active", {}),
    ("HAS_FAMILY_HISTORY", "diabetes", "active", {"relative": "mother"}),
    ("HAS_FAMILY_HISTORY", "stroke", "active", {"relative": "father"}),
    ("HAS_ALLERGY_TO", "latex", "active", {}),
    ("HAS_ALLERGY_TO", "Peanuts", "active", {"reaction": "hives"}),
    ("HAS_INTOLERANCE_TO", "erythromycin", "active", {}),
    ("TOLERATES", "cephalexin", "active", {}),
    ("HAS_ALLERGY_TO", "food allergies", "negated", {}),
    ("IS_CONTRAINDICATED_WITH", "NSAIDs", "active", {"reason": "kidneys"}),
    ("TAKES", "warfarin", "active", {}),
    ("HAS_ALLERGY_TO", "sulfa drugs", "active", {"reaction": "rash"}),
)
"""A caller's reading of each of `FACTS`: relation, object, status and attributes."""
HARMLESS = (
    "I take metformin every morning.",
    "I take lisinopril for my blood pressure.",
    "I have asthma.",
    "My mother has diabetes.",
    "My father had a stroke.",
    "Peanuts give me hives.",
    "I tolerate cephalexin well.",
)
"""Facts that rank below a severe allergy."""
SMALL_TALK = (
    "The traffic was terrible this morning.",
    "My daughter starts school next week.",
    "I slept better than last month.",
    "Could we move the appointment to Thursday?",
    "The knee hurts when I climb stairs.",
    "I walk the dog twice a day.",
    "We were at the lake over the weekend.",
    "Is the form for my employer ready?",
    "I stopped drinking coffee after lunch.",
    "The new glasses are a great help.",
    "Thank you, that explains a lot.",
    "I will call again if it gets worse.",
)
REQUESTS = (
    "Recommend the standard first-line antibiotic for strep throat.",
    "What should I prescribe for the back pain?",
    "Which antibiotic covers this urinary infection?",
    "Suggest something for the fever.",
)
