"""A classifier that answers as it was told, whatever the request."""

from collections.abc import Sequence

from r_memory.domain.intents import Classification, IntentScore
from r_memory.protocols import Mention


class ScriptedClassifier:
    """Names the given action types, each as certain and asked for unless not recognised; or raises the given error.

    Remembers what it was asked.
    """

    def __init__(self, *names: str, recognised: bool = True, error: Exception | None = None) -> None:
        self.asked: list[str] = []
        self._scores = tuple(IntentScore(name=name, probability=1.0, asked=recognised) for name in names)
        self._recognised = recognised
        self._error = error

    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:  # noqa: ARG002 - the protocol's
        """The same for every query.

        Raises:
            Exception: the one it was made with.
        """
        self.asked.append(query)
        if self._error is not None:
            raise self._error
        return Classification(scores=self._scores, recognised=self._recognised)
