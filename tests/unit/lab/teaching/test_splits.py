from r_memory_lab.teaching.splits import split
from tests.unit.lab.teaching.lines import line

LINES = tuple(line("Came by bus.", file=f"clinical/{name}") for name in ("plain-1", "traps-1", "carers-1"))


def test_a_held_out_angle_is_reported_and_never_taught() -> None:
    parts = split(LINES, calibrating=("clinical/traps-1", "clinical/carers-1"))
    assert (parts.taught, parts.calibrating, parts.reported) == (LINES[:1], LINES[1:2], LINES[2:])
