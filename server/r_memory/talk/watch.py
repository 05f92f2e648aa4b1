"""What each step of a piece of work took."""

import time


class Watch:
    """Milliseconds of each step, by its name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._began = time.perf_counter()

    def lap(self, name: str) -> None:
        """Writes down what the step took that ends here."""
        now = time.perf_counter()
        self.laps[name] = (now - self._began) * 1000
        self._began = now
