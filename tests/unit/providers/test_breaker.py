"""The circuit breaker: when it opens, who may try again, and what closes it."""

from r_memory.providers.breaker import CircuitBreaker
from r_memory.testing.clock import FixedClock


def test_it_opens_after_failures_in_a_row_and_one_success_forgets_them() -> None:
    breaker = CircuitBreaker(FixedClock(), opens_after=3)
    for _ in range(2):
        breaker.failed()
    breaker.succeeded()
    for _ in range(2):
        breaker.failed()
    assert breaker.admits()
    breaker.failed()
    assert (breaker.admits(), breaker.rests_s) == (False, 30)


def test_after_the_rest_one_may_try_and_its_failure_opens_it_again_at_once() -> None:
    clock = FixedClock()
    breaker = CircuitBreaker(clock, opens_after=1, rests_ms=1_000)
    breaker.failed()
    clock.advance(1_000)
    assert [breaker.admits(), breaker.admits()] == [True, False]
    breaker.failed()
    assert not breaker.admits()
    clock.advance(1_000)
    assert breaker.admits()
    breaker.succeeded()
    assert [breaker.admits(), breaker.admits(), breaker.rests_s] == [True, True, 0]


def test_one_who_asks_to_be_left_alone_is_after_a_single_failure() -> None:
    clock = FixedClock()
    breaker = CircuitBreaker(clock, opens_after=5)
    breaker.failed(rest_s=90)
    clock.advance(89_999)
    assert not breaker.admits()
    clock.advance(1)
    assert breaker.admits()


def test_a_clock_that_runs_backwards_closes_nothing_early() -> None:
    clock = FixedClock()
    breaker = CircuitBreaker(clock, opens_after=1)
    breaker.failed()
    clock.advance(-10_000)
    assert not breaker.admits()
