"""How much memory the processes that this one began took at most."""

import subprocess
import sys

import pytest

from r_memory_lab.bench.resident import peak_of_children

HOLDS = "held = bytearray(b'x' * 60_000_000); del held; print('ready', flush=True); input()"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells; run it there")
def test_what_a_child_held_at_most_counts_though_it_let_go_of_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        peak = peak_of_children()
        child.communicate("\n")
    assert peak is not None
    assert peak > 60
