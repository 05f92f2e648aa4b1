"""What a turn costs at a model that is paid by the token (Mimir 4.19). Reports only."""

_MILLION = 1_000_000


def turn_cost(asked_tokens: int, answered_tokens: int, *, asked_price: float, answered_price: float) -> float:
    """Returns the cost of one turn, in the currency of the prices, which are for a million tokens.

    >>> turn_cost(50_000, 100, asked_price=10, answered_price=30)
    0.503
    """
    return (asked_tokens * asked_price + answered_tokens * answered_price) / _MILLION
