"""Neo4j as people run it who have outgrown one machine: several servers, one of which leads, until another does."""

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.store.bolt import Bolt, FixedEndpoint
from r_memory.store.bolt_wire import Run
from r_memory.store.queries import Query
from tests.store.cluster import Asked, Cluster, cluster

pytestmark = pytest.mark.anyio


def query(mode: str) -> Query:
    text = "RETURN 1 AS x" if mode == "read" else "CREATE (n) RETURN 1 AS x"
    return Query(
        path="test",
        description="",
        mode="read" if mode == "read" else "write",
        text=text,
        parameters=(),
        names=(),
        returns=("x",),
    )


def opened(whole: Cluster) -> Bolt:
    return Bolt(FixedEndpoint(whole.endpoint), limit_s=30.0)


@pytest.mark.parametrize("leader", [0, 2])
async def test_what_is_read_for_facts_is_asked_of_the_leader_alone(leader: int) -> None:
    """Another server may have written what no bookmark of ours knows of, and a replica may not know it yet."""
    async with cluster(leader=leader) as whole:
        bolt = opened(whole)
        for _ in range(5):
            assert await bolt.run(query("read"), {}) == [{"x": leader}]
        await bolt.close()
    assert {asked.server for asked in whole.by("RUN")} == {leader}


async def test_a_query_of_people_may_go_to_a_replica_and_waits_there_for_what_the_leader_knows() -> None:
    async with cluster(leader=1) as whole:
        bolt = opened(whole)
        table = await bolt.read_only("MATCH (n) RETURN n AS x", {}, keep=lambda _: True, limit=9)
        await bolt.close()
    asked, known = whole.by("RUN")[-1], whole.by("BEGIN")[-1].bookmarks
    assert (asked.text, asked.server != 1) == ("MATCH (n) RETURN n AS x", True)
    assert known == ("b:1",)
    assert table.rows == ((asked.server,),)


async def test_what_was_written_goes_with_the_next_question_as_a_bookmark() -> None:
    async with cluster(leader=2) as whole:
        bolt = opened(whole)
        await bolt.run(query("write"), {})
        await bolt.run(query("read"), {})
        await bolt.close()
    assert [asked.bookmarks for asked in whole.by("RUN")] == [(), ("b:1",)]


@pytest.mark.parametrize("hangs_up", [False, True])
@pytest.mark.parametrize("at", ["RUN", "COMMIT"])
async def test_a_leader_that_changes_within_a_transaction_has_it_run_again_by_the_next(at: str, hangs_up: bool) -> None:
    def change(whole: Cluster, asked: Asked) -> None:
        second = asked.name == "RUN" and asked.text == "CREATE (second)"
        if whole.leader == 1 and (second if at == "RUN" else asked.name == "COMMIT"):
            whole.leader = 2

    async def work(run: Run) -> int:
        await run("CREATE (first)", {})
        [row] = await run("CREATE (second)", {})
        return int(row["x"])

    async with cluster(leader=1, before=change, hangs_up=hangs_up) as whole:
        bolt = opened(whole)
        assert await bolt.write(work) == 2
        await bolt.close()
    by_the_next = [(asked.name, asked.text) for asked in whole.asked if asked.server == 2]
    assert by_the_next == [("BEGIN", ""), ("RUN", "CREATE (first)"), ("RUN", "CREATE (second)"), ("COMMIT", "")]
    assert whole.written == 1


async def test_a_write_waits_for_a_cluster_that_elects_its_leader() -> None:
    async with cluster(leader=None, elects=(3, 1)) as whole:
        bolt = opened(whole)
        assert await bolt.run(query("write"), {}) == [{"x": 1}]
        await bolt.close()
    assert whole.written == 1


async def test_a_cluster_without_a_leader_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r_memory.store.bolt._ELECTION_PAUSE_S", 0.0)
    async with cluster(leader=None) as whole:
        bolt = opened(whole)
        with pytest.raises(StoreUnavailable, match=r"the cluster has no leader; try again in some seconds"):
            await bolt.run(query("read"), {})
        await bolt.close()
