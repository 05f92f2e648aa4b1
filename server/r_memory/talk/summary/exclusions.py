"""Options that a person turns down, and options that a person raises again (CIM 9).

A refusal counts in the speaker's own words only: what is quoted, reported, named as a title, written as code or an
address, asked, or said under a condition turns nothing down. Rules, no model; English and Chinese, and the plainest
forms of German, French and Spanish. Knows what was said, nothing of summaries. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from r_memory.talk.stream.words import has_cjk, language_of, normalised, stem
from r_memory.talk.summary.rejection_rules import CUES, FOUND, rules
from r_memory.text.sentences import sentences

LONGEST = 2_000
"""Characters of an utterance that are read; a person who turns something down says so at the beginning or the end."""
_WINDOW = 300
"""Characters of a sentence that are read together: the time grows with the square of it."""
_OPTION_LIMIT = 80
_REASON_LIMIT = 140
_HIDDEN = "\ufffc"
"""Stands where words that are not the speaker's own were."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+|\S+@\S+\.\w+")
_CODE_LINE = re.compile(
    r"^\s*(?:(?:sudo|git|docker|grep|npm|pip|curl|ls|cd|cat|sed|awk)\s.*(?:\s-|/|\.\w).*|"
    r".*(?:;\s*$|[{}]|==|!=|=>|&&|\|\||\w\(\w*\)\s*$|\w+\.\w+\().*|"
    r"(?:if|for|while|def|class|return|import|elif|else)\b.*(?:\w\(|:\s*$).*)$",
    re.MULTILINE,
)
_QUOTE = re.compile(
    r"\"[^\"\n]{1,400}\"|[“„][^”“\n]{1,400}[”“]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』|"
    r"《[^》\n]{1,400}》|(?<!\w)'(?!t\b|s\b|m\b)[^'\n]{2,200}(?:'\w{1,2}\b[^'\n]{1,200}){0,3}'(?!\w)"
)
_REFUSING = re.compile(
    r"\b(?:no|not|never|stop|avoid|don't|do not|without|leave|skip|exclude|forget|enough|out|kein\w*|nicht|verboten|"
    r"pas|jamais|nada|nunca|evita)\b|n't\b|[不别別停勿莫]|拒绝|避免",
    re.IGNORECASE,
)
_TITLED = re.compile(r"\b(?:called|titled|entitled|named|captioned|motto|slogan|lyrics?|headline)\b.*", re.IGNORECASE)
_SAID = (
    r"(?:said|says|say|told|tells|asked|asks|wrote|writes|yelled|yells|shouted|shouts|keeps? \w+ing|kept \w+ing|warns?|"
    r"warned|advises?|advised|recommends?|recommended|claims?|claimed|refuses?|refused|reads?|insists?|insisted|thinks?|"
    r"believes?|wants?|suggests?|suggested|argues?|argued|hates?|replied|posted|texted|mailed)"
)
_SAID_DE = r"(?:sagte?|meinte?|schreibt|schrieb|steht|rät|riet|will|wollte)"
_REPORTED = re.compile(
    r"\b(?:he|she|they|people|someone|somebody|everybody|everyone|nobody|doctors|experts|critics|"
    r"(?:my|his|her|their|our|the|a|an|one|some|this|that)\s+(?:[\w-]+(?:'s)?\s+){0,3}?[\w-]+)"
    rf"\s+(?:\w+ly\s+|always\s+|often\s+|once\s+|just\s+|also\s+)?{_SAID}\b"
    rf"|\b(?!I\b|We\b|You\b)(?-i:[A-Z])\w+\s+(?=\w*(?:s|ed|id|told|wrote)\b){_SAID}\b"
    r"|\baccording to\b|\bas (?:he|she|they) put it\b"
    rf"|\b(?:er|sie|mein\w*\s+\w+|d(?:er|ie|as|em)\s+\w+)\s+{_SAID_DE}\b"
    r"|\b(?:il|elle|mon \w+|ma \w+)\s+(?:dit|a dit|écrit)\b|\b(?:él|ella|mi \w+)\s+(?:dice|dijo)\b",
    re.IGNORECASE,
)
_REPORTED_CJK = re.compile(
    r"(?:他们?|她们?|它们?|他們|她們|老板|老闆|医生|醫生|老师|老師|朋友|同事|妈妈|媽媽|爸爸|别人|有人|大家|专家|專家|经理|新闻|文章|书上|邻居)"
    r"[^，。！？]{0,6}?(?:说|說|讲|講|告诉|告訴|写|寫|建议|建議|认为|認為|觉得|覺得|提醒|要求|喊|问|劝)"  # noqa: RUF001
)
_CONDITION = re.compile(r"\b(?:if|whether|what if|in case|wenn|falls|s'il|quand)\b|如果|要是|假如|万一", re.IGNORECASE)
_IF_ONLY = re.compile(
    r"\bs'il (?:te|vous) pla[iî]t\b|\bif (?:(?:you|we|i) can(?: help it)?|(?:at all )?possible|"
    r"you (?:don't mind|please)|that's (?:ok|okay|all right|alright)|i may)\b",
    re.IGNORECASE,
)
_MADE = re.compile(
    r"^(?:please\s+|can you\s+|could you\s+)?(?:write|translate|explain|summari[sz]e|describe|define|proofread|rewrite|"
    r"spell|recite|quote|compose|draft)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:please\s+|and\s+|so\s+|ok,?\s+)?(?:can|could|would|will) (?:you|we|i|someone)\b(?! explain| tell| say| show)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?P<words>(?:i|we|no|not|please|stop|avoid|don't|never|let's)\b.{5,}),\s+(?:what|which|how|where|who|when|can|could|is|"
    r"are|do|does|would|any)\b[^,]*\?$",
    re.IGNORECASE,
)
_ANSWERED = re.compile(
    r"(?:^|[.!?,]\s+|[。！？，])(?:what about\s+|how about\s+|and\s+)?(?P<option>[^.!?。！？\n,]{2,60})\s?"  # noqa: RUF001
    r"(?:[?？]|\.\.\.|…)\s*(?:(?:i'd|i would) say\s+|hm+,?\s+|er,?\s+)?"  # noqa: RUF001 - a full-width mark
    r"(?:no|nope|no way|never|over my dead body|not a chance|no chance|forget it|"
    r"(?:absolutely|certainly|definitely|rather) not|not for (?:me|us)|"
    r"not happening|hard pass|i'd rather not|not (?:this time|again)|please,? no|nein|niemals|"
    r"auf keinen fall|lieber nicht|non|jamais|surtout pas|nunca|ni hablar|不行|不要|算了|免谈)\b"
    r"(?=\s*(?:[,.!;，。！]|$)|\s+(?:we|i|it|too)\b)",  # noqa: RUF001
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:the|a|an|any|some|this idea of|that idea of|using|with|to|of|about|another|such|more|anything like|my own|"
    r"den|die|das|dem|der|ein|eine|einen|le|la|les|un|une|des|du|el|los|las|una|to use|that)\s+|l')+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:please|again|any ?more|either|too|at all|for (?:this|that|it|now|me|us)|this time|anyway|today|now|bitte|"
    r"mehr|s'il te plaît|s'il vous plaît|por favor)$",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"^[\s,;:.–—-]*(?:(?:(?:because of|because|since|as|due to|given that|for this|for that|for now|for us|for me|"  # noqa: RUF001
    r"again|please|thanks|thank you|any ?more|after all|this time|weil|denn|parce que|parce qu|car|porque)\b|因为|因為|"
    r"了|吧)[\s,;:.]*)*",
    re.IGNORECASE,
)
_SO = re.compile(r"^(?P<reason>.{3,}?)[,;]\s*(?:so|therefore|that's why|deshalb|donc|así que)\b[^,;]*$", re.IGNORECASE)
_PRONOUNS = frozenset(
    (
        *("it", "that", "this", "them", "these", "those", "him", "her", "me", "you", "us", "anything", "something"),
        *("everything", "nothing", "there", "here", "so", "one", "ones", "to", "then", "now", "what", "thing"),
        *("things", "stuff", "es", "das", "ça", "cela", "eso", "esto"),
    )
)
_BARE_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|will|would|can|could|does|did|do|should|need|needs|think|know|knows|"
    r"said|says|go|goes|look|looks|that's|it's|i'm|you're|i'll|we'll|agree|than|(?:i|we|you|they|he|she|it)\s+\w+)\b"
)
"""A refusal without a verb has none: with one of these it is something else."""
_SINCE = re.compile(
    r"\s*(?:since (?:\w+day|yesterday|then|last|the|\w+ o'clock|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|\d)|so far|yet|overnight|tonight so far)\b",
    re.IGNORECASE,
)
"""`No rain since Monday` tells of the past."""
_SEEN = re.compile(
    r"\b(?:noted|seen|found|reported|detected|observed|left|available|overnight|so far|yet|in sight|as usual|"
    r"at present|at the moment|currently|bekannt|vorhanden|sichtbar|connus?|conocid[oa]s?|\w+\s\w+ed)$"
    r"|\bfor (?:\w+ )?(?:days|weeks|months|years|hours)$"
    r"|^(?:puedo|puede|podemos|tengo|tiene|tenemos|hay|sé|es|está|estoy|he|ha|creo|entiendo|recuerdo|importa|pasa)\b",
    re.IGNORECASE,
)
"""What was not seen, and verbs of a language in which `no` is `not`."""
_NEGATED = re.compile(
    r"(?:^|[,;]\s*|\b(?:and|or|und|oder|et|y)\s+)(?:no|kein\w*|pas de|sin)\s+\w|,\s*no\s", re.IGNORECASE
)
_ADDRESSED = re.compile(
    r"\b(?:please|pls|plz|thanks|thank you|bitte|danke|merci|s'il (?:te|vous)|por favor|gracias|i|i'd|i'll|i'm|we|"
    r"we'd|me|us|you|my|our|this time|again|any ?more|from now on|let's|only|just|instead|want|ich|wir|mir|uns|"
    r"je|nous|on)\b|!",
    re.IGNORECASE,
)
_OF_A_SENTENCE = re.compile(r"\w+\s+(?:is|are|was|were)\s+(?:a|an|the)\b", re.IGNORECASE)
"""`Cancel culture is a term` cancels nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An option that is turned down."""

    option: str
    """In the person's words."""
    reason: str = ""
    """Why, in the person's words; empty if nothing was said."""

    @property
    def entry(self) -> str:
        """As it stands in a summary."""
        return f"{self.option}: {self.reason}" if self.reason else self.option


@lru_cache(maxsize=256)
def rejections(text: str) -> tuple[Rejection, ...]:
    """Options that the text turns down, in order, each once.

    >>> rejections("No MongoDB, please. It has no joins?")
    (Rejection(option='MongoDB', reason=''),)
    >>> rejections('He said "no MongoDB". Is that not Redis?')
    ()
    """
    found: dict[str, Rejection] = {}
    for one in _rejections(own_words(text)):
        key = normalised(one.option)
        if not any(key in known or known in key for known in found):
            found[key] = one
    return tuple(found.values())


def own_words(text: str) -> str:
    """The text with what is no statement of its speaker hidden: code, addresses, quoted refusals, titles."""
    plain = _shortened(text).replace("\u2019", "'")
    for pattern in (_FENCE, _ADDRESS, _CODE_LINE):
        plain = pattern.sub(_HIDDEN, plain)
    return _TITLED.sub(_HIDDEN, _QUOTE.sub(_unquoted, plain))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"


def _unquoted(quote: re.Match[str]) -> str:
    """A name may stand in quotes; a refusal in quotes is somebody else's."""
    inner = quote.group()[1:-1]
    return _HIDDEN if _REFUSING.search(inner) or len(inner.split()) > 4 else inner


def _rejections(text: str) -> Iterator[Rejection]:
    for answered in _ANSWERED.finditer(text):
        yield from _made(answered["option"], text[answered.end() :])
    for sentence in _sentences(text):
        for part in _said_by_the_speaker(sentence):
            yield from _in_part(part)


def _sentences(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        yield from (sentence[at : at + _WINDOW] for at in range(0, len(sentence), _WINDOW))


def _said_by_the_speaker(sentence: str) -> Iterator[str]:
    """Parts of a sentence that can turn something down."""
    if has_cjk(sentence):
        yield from _chinese_parts(sentence)
        return
    if sentence.endswith("?") and not _REQUEST.search(sentence):
        # `I will not use it, what else is there?` states something before it asks.
        stated = _STATED.match(sentence)
        if stated is None:
            return
        sentence = stated["words"]
    if _MADE.search(sentence) or _CONDITION.search(_IF_ONLY.sub("", sentence)):
        return
    yield from re.split(r"(?<=[;,])\s+(?=but\b)", sentence)


def _chinese_parts(sentence: str) -> Iterator[str]:
    if re.search(r"[吗嗎么麼呢]?[?？]\s*$|为什么|為什麼|要不要|能不能|是不是|有没有", sentence):  # noqa: RUF001
        return
    if _CONDITION.search(sentence) or _REPORTED_CJK.search(sentence):
        return
    yield sentence


def _in_part(part: str) -> Iterator[Rejection]:
    # What follows `she says` is hers; what precedes `nobody reads it` is not.
    reported = _REPORTED.search(part)
    note = _is_note(part)
    for language in filter(lambda code: CUES[code].search(part), _languages(part)):
        for rule in rules()[language]:
            for found in rule.finditer(part):
                if reported is not None and reported.start() < found.start("option"):
                    continue
                if _OF_A_SENTENCE.match(found["option"]):
                    continue
                if "bare" in rule.groupindex and (note or _states(found["option"], part[found.end("option") :])):
                    continue
                yield from _made(found["option"], part[found.end() :], part[: found.start("option")])


def _states(option: str, after: str) -> bool:
    """Whether a bare negation states something: it has a verb, says since when, or is what a report did not find."""
    bare = _LEAD.sub("", option)
    return bool(_BARE_VERB.search(option.casefold()) or FOUND.match(bare) or _SINCE.match(after) or _SEEN.search(bare))


def _is_note(part: str) -> bool:
    """Whether it is a note of what was not found: one negation after another, or after words without a verb, and
    nobody is addressed."""
    if _ADDRESSED.search(part) is not None:
        return False
    before = part[: first.start()] if (first := _NEGATED.search(part)) else ""
    return len(_NEGATED.findall(part)) > 1 or (len(before.split()) > 1 and not _BARE_VERB.search(before.casefold()))


def _languages(part: str) -> tuple[str, ...]:
    if has_cjk(part):
        return ("zh",)
    # Short sentences tell German, French and Spanish apart badly; their rules seldom meet one another's words.
    others = ("de", "fr", "es")
    return others if language_of(part) != "en" else ("en", *others)


def _made(option: str, after: str, before: str = "") -> Iterator[Rejection]:
    words = _trimmed(option)
    if not words or _HIDDEN in words or words.casefold() in _PRONOUNS or len(words) > _OPTION_LIMIT:
        return
    yield Rejection(option=words, reason=_reason(after, before))


def _trimmed(option: str) -> str:
    words = option.strip(" \t\"'“”„«»「」『』.,;:!?")
    while (shorter := _TAIL.sub("", words)) != words:
        words = shorter
    return _LEAD.sub("", words).strip()


def _reason(after: str, before: str) -> str:
    """The rest of the sentence; or what stands before `so`."""
    rest = _BECAUSE.sub("", after.partition("\n")[0]).strip(" .!,;。！，")  # noqa: RUF001
    if not rest and (reasoned := _SO.match(before)):
        rest = reasoned["reason"].strip()
    if _HIDDEN in rest or len(rest) < 3:
        return ""
    return rest if len(rest) <= _REASON_LIMIT else rest[: _REASON_LIMIT - 1].rstrip() + "…"


# --- raised again ----------------------------------------------------------------------------------------------------

_ANEW = re.compile(
    r"\b(?:let's|let us|i want|i'd like|i would like|we want|we'd like|i'll|we'll|i will|we will|can we|can you|could|"
    r"would|should|may|might|maybe|perhaps|"
    r"what about|how about|what if|tell me|show me|compare|consider|reconsider|put|use|"
    r"take|add|book|try|go with|going with|back|again|after all|changed my mind|on second thought|it is|please|"
    r"vielleicht|doch|lass uns|nehmen wir|wie wäre|was ist mit|finalement|peut-être|prenons|essayons|et si|reprenons|"
    r"al final|quizás|tal vez|vamos a|y si|podemos|mejor)\b",
    re.IGNORECASE,
)
_ANEW_CJK = re.compile(
    r"还是|還是|可以|考虑|考慮|再看|重新|改主意|怎么样|怎麼樣|如何|要不|不如|吧|试试|試試|想|请|請|能不能|行吗|好吗|呢"
)
_ABOUT_IT = re.compile(
    r"\b(?:rule[ds]? out|ruled|exclud\w+|reject\w*|turn(?:ed)? down|dropp?ed|said no|as i said|leaving out|left out|"
    r"leave out|avoid\w*|except|besides|other than|apart from|instead of|rather than|remember that|not|no|without|"
    r"don't|never|ausgeschlossen|kein\w*|ohne|statt|außer|sauf|sans|exclu\w*|excepto|menos|sin)\b|n't\b",
    re.IGNORECASE,
)
_ABOUT_IT_CJK = re.compile(r"排除|除了|拒绝|拒絕|不去|不要|不用|别|別|说过|說過|不|没")
_MILD = re.compile(
    r"\b(?:isn't|aren't|wasn't|not)\s+(?:so|that|too|as|such an?)?\s*(?:bad|terrible|wrong|awful)\b", re.IGNORECASE
)


def raised_again(options: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of the excluded options that the text brings up anew: it asks about them, wants them, or allows them.

    Naming an option is not enough: who says that it stays excluded, asks why it was, or tells of others names it too.

    >>> raised_again(["MongoDB", "Redis"], "As I said, no Redis. But what about MongoDB?")
    ('MongoDB',)
    """
    parts = list(_parts_of(own_words(text)))
    return tuple(option for option in options if any(_anew(option, part) for part in parts))


def _parts_of(text: str) -> Iterator[str]:
    for sentence in _sentences(text):
        yield from re.split(r"(?<=[;,])\s+(?=but\b)", sentence)


def _anew(option: str, part: str) -> bool:
    if not names_option(option, part):
        return False
    if has_cjk(part):
        asked = _ANEW_CJK.search(part) or part.rstrip().endswith(("?", "？"))  # noqa: RUF001
        return bool(asked) and not _ABOUT_IT_CJK.search(part) and not _REPORTED_CJK.search(part)
    plain = _MILD.sub("fine", part)
    if _REPORTED.search(plain) or _ABOUT_IT.search(plain):
        return False
    return bool(_ANEW.search(plain)) or plain.rstrip().endswith("?")


def names_option(option: str, text: str) -> bool:
    """Whether the text holds the option, whole words in their order.

    >>> names_option("the Java plan", "Is Java planned?"), names_option("Java", "some JavaScript")
    (True, False)
    """
    if has_cjk(option):
        return normalised(option) in normalised(text)
    wanted, there = _stems(_LEAD.sub("", option)), _stems(text)
    return bool(wanted) and any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _stems(text: str) -> list[str]:
    return [stem(word, "en") for word in re.findall(r"[^\W_]+(?:[+#]+)?", normalised(text))]
