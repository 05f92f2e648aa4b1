"""The summary of one turn: a sentence for each side, in paragraphs of their own (memory-systems 1.5).

Who shortens is the shortener's business; a short turn needs none and is its own summary.
"""

from r_memory.protocols import Shortener, Shortening
from r_memory.text.sentences import PromptLanguage, language_of
from r_memory.text.tokens import count, fits

LIMIT_TOKENS = 300
"""Of a turn and the prompt around it, up to which it is its own summary (SCM-25)."""
SENTENCE_WORDS: dict[PromptLanguage, int] = {"en": 40, "zh": 80}
"""At most, for each side: a long sentence in words, and of Chinese in characters."""
_SIDES: dict[PromptLanguage, tuple[str, str]] = {"en": ("User", "Assistant"), "zh": ("用户", "助手")}
_MARK: dict[PromptLanguage, str] = {"en": ": ", "zh": "\uff1a"}


class TurnSummaries:
    """Summarises turns with one shortener."""

    def __init__(
        self,
        shortener: Shortener,
        *,
        limit_tokens: int = LIMIT_TOKENS,
        template_tokens: int = 0,
    ) -> None:
        """`template_tokens` is the length of the shortener's prompt; 0 for a shortener without one."""
        self._shortener = shortener
        self._limit = limit_tokens
        self._template = template_tokens

    async def of(self, observation: str, response: str, *, speaker: str = "", responder: str = "") -> str:
        """A paragraph for each side that said something, under its speaker; empty for a turn that is its own summary.

        A side without a name is called user or assistant, in the language that a prompt about the turn is written in
        (SCM-26).

        Raises:
            ModelError: the shortener gave no answer; a remote one only.
        """
        turn = "\n".join(filter(None, (observation, response)))
        if fits(self._template + count(turn), self._limit):
            return ""
        language = language_of(turn)
        names = (speaker or _SIDES[language][0], responder or _SIDES[language][1])
        sides = [
            f"{name}{_MARK[language]}{await self._sentence(said, language)}"
            for name, said in zip(names, (observation, response), strict=True)
            if said.strip()
        ]
        return "\n\n".join(sides)

    async def _sentence(self, said: str, language: PromptLanguage) -> str:
        shorter = await self._shortener.shorten(said, Shortening(kind="turn", words=SENTENCE_WORDS[language]))
        return " ".join(shorter.split())
