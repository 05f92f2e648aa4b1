"""How often one bearer may call: bursts pass, floods wait, and others are not held up."""

from r_memory.serving.http.door import Rates


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def admitted(rates: Rates, bearer: str, calls: int) -> int:
    return sum(rates.admits(bearer) for _ in range(calls))


def test_a_burst_of_ten_seconds_passes_and_then_the_rate() -> None:
    time = Time()
    rates = Rates(5, now=time)
    assert admitted(rates, "ann", 60) == 50
    time.now = 2.0
    assert admitted(rates, "ann", 60) == 10
    time.now = 1000.0
    assert admitted(rates, "ann", 60) == 50


def test_one_bearer_does_not_use_up_what_another_has() -> None:
    rates = Rates(1, now=Time())
    admitted(rates, "ann", 100)
    assert admitted(rates, "bob", 5) == 5


def test_no_rate_is_no_limit() -> None:
    assert admitted(Rates(0, now=Time()), "ann", 1000) == 1000


def test_many_bearers_do_not_fill_the_memory() -> None:
    rates = Rates(1, now=Time())
    for number in range(12_000):
        rates.admits(str(number))
    assert len(rates._left) == 10_000
