"""The part `records`: which figures it gives."""

import pytest

from r_memory_lab.bench.records import records
from tests.unit.lab.bench.test_context import quietly
from tests.unit.lab.evals.test_charts import a_memory

pytestmark = pytest.mark.anyio


async def test_each_resource_of_the_bundles_is_stored_and_counted() -> None:
    outcome = await records(a_memory(), store_name="dict", seed=1, begin=quietly, people=2, resources=80)
    passed, computed, refused = outcome.groups["Records, dict"]
    assert (passed.n, passed.aim, computed.n) == (2, ">= 300", 2)
    assert passed.value > 0
    assert (refused.value, refused.n) == (0, 320)
