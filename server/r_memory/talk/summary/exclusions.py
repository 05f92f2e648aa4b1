"""Options that a person turns down, and options that a person raises again (CIM 9).

A refusal counts in the speaker's own words only: what is quoted, reported, titled, code, asked, or said under a
condition turns nothing down. A short table of how English and Chinese refuse plainly, one line each for German, French
and Spanish; what is put in a roundabout way is overlooked, and left to a model that writes the summary. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from r_memory.talk.stream.words import has_cjk, normalised, stem
from r_memory.text.sentences import sentences

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes as people type them

LONGEST = 2_000
"""Characters of an utterance that are read; a person who turns something down says so at the beginning or the end."""
_WINDOW, _OPTION_LIMIT, _REASON_LIMIT = 300, 80, 140
_HIDDEN = "\ufffc"
"""Stands where words that are not the speaker's own were."""

_CODE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\b(?:https?://|www\.)\S+|[^\s@]{1,64}@[^\s@]+\.\w+"
    r"|^[ \t]*(?-i:sudo|git|docker|grep|npm|pip|curl)\s[^\n]*"
    r"|^[^\n]*(?:[;{}]|==|=>|&&|\w\(\w*\))\s*$|^[ \t]*(?:if|for|while|def|class|return)\b[^\n]*(?:\w\(|:\s)[^\n]*$",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTE = re.compile(
    r"\"[^\"\n]{1,400}\"|[“„][^”“\n]{1,400}[”“]|«[^»\n]{1,400}»|「[^」\n]{1,400}」|《[^》\n]{1,400}》"
    r"|(?<!\w)'(?!t\b|s\b|m\b)[^'\n]{2,200}'(?!\w)"
)
_REFUSING = re.compile(r"\b(?:no\w?|not|never|stop|avoid|leave|skip|out|verboten)\b|n't\b|[不别勿停]", re.IGNORECASE)
_TITLED = re.compile(r"\b(?:called|titled|entitled|named|motto|slogan|lyrics|meme)\b.*", re.IGNORECASE)
_REPORTED = re.compile(
    r"\b(?!(?:i|we|you|please)\b)\w+ (?:\w+ly |always )?(?:says?|said|tells|told|writes|wrote|yell\w+|shouts?"
    r"|reads|keeps"
    r"|warn\w*|advi[sc]es?|recommends|refuses|sagte?|dit)\b|\baccording to\b|\b(?:her|his|their) advice\b"
    r"|^(?:he|she|they|nobody|(?:my|his|her|their|the) \w+) (?!is\b|was\b|will\b|won't\b|do\w*n't\b)[a-z]+s\b"
    r"|^(?:he|she)\b"
    r"|^[他她]|(?:老板|医生|醫生|老师|朋友|别人|大家|公司).{0,6}?(?:说|說|建议|建議|要求|不)",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if(?! (?:you|we) can|\w+ possible)|whether|wenn|falls)\b|如果|要是", re.IGNORECASE)
_TASK = re.compile(r"(?:please |(?:can|could) you )*(?:write|translate|explain|add|check)\b", re.IGNORECASE)
_REQUEST = re.compile(
    r"(?:please |and )?(?:can|could|would|will) (?:you|we)\b(?! explain| not hear)|.* what else",
    re.IGNORECASE,
)
_ASKS_ZH = re.compile(r"[?？]\s*$|为什么|為什麼|要不要|能不能|是不是|怎么|怎麼")

_PARTS = r"""
option = (?P<option>(?:[^\s,;:.!?()]|[.:](?=\w))(?:[^,;:.!?()\n]|[.:](?=\w)){0,80}?)
end = (?=\s*(?:[,;:!?()]|\.(?!\w)|\s[-–—]\s|$)| +(?:because|since|as|so|but|please|pls|thanks|any ?more|again|no|
    otherwise|this time|after all|at all|either|anyway|(?:for|from) (?:this|that|us|me|the (?:list|shortlist|agenda))|
    due to|instead|in (?:it|your answers)|to me|tonight|mehr|s'il)\b)
at = (?:^|[,;:] *|[.!] +| [-–—] |\b(?:but|so|and|then|well|ok|okay|please|just|thanks|rather|nah|sure|nope,?) )
    (?:please |now )?
we = \b(?:i|we)(?:'ve| have|'d| would|'m|'re| am| are)?(?: really| just| simply| also)?[ ]
act = (?:(?:to |be |even )*(?:us(?:e|ing)|tak(?:e|ing)|recommend(?:ing)?|suggest(?:ing)?|mention(?:ing)?|
    bring(?:ing)? up|(?:talk(?:ing)?|hear|think(?:ing)?) (?:about|of)|discuss(?:ing)?|book(?:ing)?|buy(?:ing)?|
    includ(?:e|ing)|add(?:ing)?|consider(?:ing)?|go(?:ing)? (?:with|for|by|back to)|hir(?:e|ing)|eat|hav(?:e|ing)|do|
    doing|want|serve|invit(?:e|ing)|(?:show|give) me|schedule(?: anything)?|pay(?:ing)? for|(?:work|fly|bother) with|
    stay (?:in|at)|need(?:ing)?|the (?:idea|plan|topic|subject|discussion) (?:of|with|about)) (?:(?:on|in|for|with|
    at) )?)*
idiom =
    (?!(?:worry|forget|hesitate|mind|know|think (?!of)|you|have to|need to|be (?:home|long|late|back)|wait|let|stop|
    remember|understand|believe|find|thank|agree|help|get|go wrong|beat|remember|last|exceed|lie|sure|from|log)\b)
no_idiom =
    (?!(?:problem|doubt|idea|later|matter|wonder|one|rush|hurry|thank\w?|way|sooner|less|longer|more|big|offen[cs]e|
    news|answer|luck|wait|need|known|two|i|it|that|this|we|you|he|she|they|interest|point|there|sé|hay|puedo|me|es|
    tengo)\b)
zh_option = (?P<option>[^，。！？；：、,.!?;:\s了吧啦呢吗嗎因]{1,20}?)
zh_end = (?=[，。！？；：,.!?;:\s]|$|了|吧|啦|就好|以外|之外)
zh_act = (?:再|给我|給我|使用|采用|用|推荐|推薦|建议|提到|提|问|聊|谈|談|讨论|討論|说|安排|考虑|放|买|買|请|选|選|坐|去|
    吃|喝|发|做|订|看)*+
"""
_RULES = r"""
{at}(?:do not|don't|dont|never(?! in\b| have\b)) (?:ever )?{idiom}{act}{option}{end}
(?:{at}|(?:can|could) (?:you|we) (?:please )?)(?:stop|quit|cease) (?:with )?(?!by\b|me\b|if\b){act}{option}{end}
\b(?:let's|let us|can we please|could we please) not {idiom}{act}{option}{end}
{we}(?:don't|do not|dont|no longer|never) (?:want|like|need|accept|fancy|consider|consent to) (?:to |
    any )*{act}{option}{end}
{we}(?:can't|cannot|won't|will not|wouldn't|shouldn't|should not) (?=use|take|accept|buy|eat|pay|sell|work|stand|bear|
    have|be \w+ing|store|wear|go)(?:accept |stand |bear )?{act}{option}{end}
{we}not (?:going to )?(?=interested|keen|\w+ing )(?!coming|saying|sure)(?:interested in |keen on )?{act}{option}{end}
{we}(?:rather|prefer|sooner) not {idiom}{act}{option}{end}
{we}(?:refuse to|decided against|turned down|ruled out|dropped|sworn off|decided not to|agreed not to|no longer|
    will pass on|(?:can )?do without|veto|done with|through with|against|fed up with) {act}{option}{end}
\b(?:no (?:more(?! than)|need (?:for|to)|interest in|point in)|zero interest in|please without|refrain from|
    no talk about|count (?:me|us) out of|pass on|had it with|enough (?:about|of|with)|steer clear of|stay away from|
    get rid of|anything other than) (?:talk )?{act}{option}{end}
(?:{at}(?:nothing with|instead of|never again|under no circumstances should (?:i|we)|not) )(?!only|every|bad|gonna|at|
    sure|far|for (?:me|us)|\w+day){act}(?:interested in )?{option}{end}
\b(?:anything|any|everything|all)\b[^,.;:!?]{0,30}?\b(?:but|except) {option}{end}
(?:{at}|\b(?:let's|let us|should|would|we|you|to|can|could) )(?:avoid|skip|exclude|scrap|omit|remove|delete|drop|
    cancel|forget(?: about)?|leave out|rule out|abandon|end|ditch|lose|never mind)
    (?! ahead| culture| the dup) {act}{option}{end}
{at}no {no_idiom}(?P<bare>){option}{end}
(?:(?:\b(?:bitte|wir wollen|ich (?:will|möchte)) )kein(?:e|en)? |^kein(?:e|en)? (?!sorge|problem)(?P<bare>))
    {option}{end}
\b(?:surtout pas de|évitez?|oubliez?|laisse tomber|je ne veux (?:plus|pas)(?: parler)? d[eu]) (?:les? |
    la )?{option}{end}
\b(?:no quiero|nada de|evita|descarta|olvida) (?:la opción del? )?(?:una? |el |la )?{option}{end}
{at}{option} (?:is|are|isn't|aren't)(?: far| way| simply)? (?:out(?= *[,;.!]|$)|out of the question|off the (?:table|
    list)|(?:not |no longer )?an option|an? (?:hard |definite )?no(?:-?go)?\b|(?:ruled out|excluded|unacceptable|
    not acceptable|dead|not possible|not happening|not for (?:me|us)|not my thing))
{at}{option} (?:won't do|(?:won't|doesn't|does not) (?:work for|suit) (?:me|us))\b
\b(?:leave|keep|take|cross|strike|rule) {option} (?:out|off|from (?:the|my|our) \w+)\b
"""
_RULES_ZH = r"""
(?:^|[，。；：,\s请請]|我们|咱们|我|以后|就)(?:决定)?(?:不要|别|別|勿|不想|不喜欢|不喜歡|不接受|不考虑|不用|不需要|
    没必要|放弃|拒绝|排除|避免|去掉|删掉|取消|停止)(?!担心|忘|急|客气|人|介意|谢|的){zh_act}(?!谢){zh_option}{zh_end}
(?:^|[，,；\s]){zh_option}(?:我们|我)?(?:就|也|都)?(?:不要|不用|不行|不考虑|不住|不放|\w不了|算了|免了|受不了|除外)
    放?[了吧]*(?=[，。！,.!\s]|$)
[\u4e00-\u9fff]{0,4}不(?:请|买|去|做){zh_option}了
除了{zh_option}(?:以外|之外)?都
"""
_ANSWER = r"""
(?:{at}|[.!] |[。！，])(?:what about )?{option} ?(?:[?？]|\.\.\.) *(?:i'd say )?(?:no|never|not for me|
    over my dead body|不行)\b(?= *[,.!;，。]|$)
"""


def _lines(table: str) -> list[str]:
    """The lines of a table, each with the indented ones behind it."""
    return re.sub(r"\n {4}", "", table.strip()).splitlines()


@cache
def _compiled(table: str) -> tuple[re.Pattern[str], ...]:
    """Its rules, made when first asked for; `{name}` stands for a part, which may hold none."""
    parts = dict(re.split(r" = ?", line, maxsplit=1) for line in _lines(_PARTS))
    filled = (re.sub(r"\{([a-z_]+)\}", lambda name: parts[name[1]], rule) for rule in _lines(table))
    return tuple(re.compile(rule, re.IGNORECASE) for rule in filled)


_ADDRESSED = re.compile(
    r"\b(?:please|pls|thanks|thank you|bitte|i|we|i'm|me|us|this time|again|instead|but)\b|!",
    re.IGNORECASE,
)
_FOUND = re.compile(
    r"\w+(?:ness|itis|ache)\b|pain|wheez|bleed|smok|fever|swell|known|further|previous|response|progress|contact|"
    r"\w+ \w+ed\b|.* (?:is|are|was|yet|so far|at present)\b|schwell|fieber|fièvre|.* bekannt",
    re.IGNORECASE,
)
"""What a report did not find: `no swelling` is a note, no refusal."""
_LEAD = re.compile(
    r"^(?:(?:the|a|an|any|some|another|such|using|to|of|den|die|das|ein|eine|le|la|les|un|une|el|los) )+",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"it|th(?:at|is|em|ese|ose)|him|her|me|you|us|so|one|to|(?:any|some|every)thing", re.IGNORECASE)
_BECAUSE = re.compile(
    r"^[\s,;:.–—-]*(?:(?:because of|because|since|as|due to|again|please|thanks|too|了|吧|因为|因為)\b[\s,]*)*",
)
_SO = re.compile(r"(?P<reason>.{3,}?)[,;]\s*(?:so|therefore|that's why)\b[^,;]*$", re.IGNORECASE)


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
    said = own_words(text)
    for one in (*_matched(_compiled(_ANSWER), said), *(one for part in _clauses(said) for one in _rejected(part))):
        key = normalised(one.option)
        if not any(key in known or known in key for known in found):
            found[key] = one
    return tuple(found.values())


def own_words(text: str) -> str:
    """The text with what is no statement of its speaker hidden: code, addresses, quoted refusals, titles."""
    plain = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n{text[-LONGEST // 2 :]}"
    return _TITLED.sub(_HIDDEN, _QUOTE.sub(_unquoted, _CODE.sub(_HIDDEN, plain.replace("\u2019", "'"))))


def _unquoted(quote: re.Match[str]) -> str:
    """A name may stand in quotes; a refusal in quotes is somebody else's."""
    inner = quote.group()[1:-1]
    return _HIDDEN if _REFUSING.search(inner) or len(inner.split()) > 4 else inner


def _clauses(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        for at in range(0, len(sentence), _WINDOW):
            yield from re.split(r"(?<=[;,])\s+(?=but\b)", sentence[at : at + _WINDOW])


def _rejected(part: str) -> Iterator[Rejection]:
    if has_cjk(part):
        asked, rules = _ASKS_ZH.search(part) is not None, _compiled(_RULES_ZH)
    else:
        asked, rules = part.endswith("?") and not _REQUEST.match(part), _compiled(_RULES)
    if not (asked or _CONDITION.search(part) or _TASK.match(part)):
        yield from _matched(rules, part)


def _matched(rules: Sequence[re.Pattern[str]], part: str) -> Iterator[Rejection]:
    reported = _REPORTED.search(part)
    for rule in rules:
        for match in rule.finditer(part):
            # What follows `she says` is hers; what precedes it is not.
            if reported and reported.start() < match.start("option"):
                continue
            option = _trimmed(match["option"])
            if option and not ("bare" in rule.groupindex and _is_note(option, part, part[match.end() :])):
                yield Rejection(option=option, reason=_reason(part[match.end() :], part[: match.start("option")]))


def _is_note(option: str, part: str, after: str) -> bool:
    """Whether `no` and these words tell what was not found: nobody is addressed, or it is one negation of several."""
    several = len(re.findall(r"(?:^|[,;] |\b(?:and|und) )(?:no|kein\w*)\b", part, re.IGNORECASE)) > 1
    return (several and not _ADDRESSED.search(part)) or _FOUND.match(option) is not None or after.startswith(" since ")


def _trimmed(option: str) -> str:
    """The option without its article; empty for what names none."""
    words = _LEAD.sub("", option.strip(" \t\"'“”«»「」.,;:!?")).strip()
    return "" if _HIDDEN in words or _PRONOUN.fullmatch(words) or len(words) > _OPTION_LIMIT else words


def _reason(after: str, before: str) -> str:
    """The rest of the sentence; or what stands before `so`."""
    rest = _BECAUSE.sub("", after.partition("\n")[0]).strip(" .!,;。！，")
    if not rest and (reasoned := _SO.match(before)):
        rest = reasoned["reason"].strip()
    if _HIDDEN in rest or len(rest) < 3:
        return ""
    return rest if len(rest) <= _REASON_LIMIT else rest[: _REASON_LIMIT - 1].rstrip() + "…"


_ANEW = re.compile(
    r"\b(?:let's|let us|(?:i|we) (?:want|will|would like)|(?:i|we)'(?:d like|ll)|can (?:we|you)|could|would"
    r"|should|may|maybe"
    r"|perhaps|(?:what|how) about|what if|tell me|show me|compare|consider|reconsider|put|use|take|add|book|try"
    r"|go(?:ing)? with|"
    r"back|again|after all|changed my mind|on second thought|it is|please|vielleicht|doch|finalement|prenons"
    r"|podemos|mejor)\b"
    r"|[?？]\s*$|还是|還是|可以|考虑|考慮|再看|重新|改主意|怎么样|怎麼樣|如何|不如|吧|试试|想|请|請|行吗|好吗|呢",
    re.IGNORECASE,
)
_STILL_OUT = re.compile(
    r"\b(?:rule[ds]? out|exclud\w+|reject\w*|turn(?:ed)? down|dropp?ed|as i said|leaving out|left out|leave out"
    r"|avoid\w*|except|"
    r"besides|other than|instead of|rather than|no|not|without|don't|never|ausgeschlossen|kein\w*|ohne|sauf|sans"
    r"|menos|sin)\b"
    r"|n't\b|排除|除了|拒绝|拒絕|不去|不要|不用|别|別|说过|說過|不|没",
    re.IGNORECASE,
)
_MILD = re.compile(r"\b(?:isn't|aren't|wasn't|not)\s+(?:so|that|too|as)?\s*(?:bad|terrible|wrong)\b", re.IGNORECASE)


def raised_again(options: Sequence[str], text: str) -> tuple[str, ...]:
    """Those of the excluded options that the text brings up anew: it asks about them, wants them, or allows them.

    Naming an option is not enough: who says that it stays excluded, asks why it was, or tells of others names it too.

    >>> raised_again(["MongoDB", "Redis"], "As I said, no Redis. But what about MongoDB?")
    ('MongoDB',)
    """
    parts = [_MILD.sub("fine", part) for part in _clauses(own_words(text))]
    anew = [part for part in parts if _ANEW.search(part) and not (_STILL_OUT.search(part) or _REPORTED.search(part))]
    return tuple(option for option in options if any(names_option(option, part) for part in anew))


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


_FAILED = re.compile(
    r"(?P<failed>\b(?:did(?:n't| not)|does(?:n't| not)|do(?:n't| not)|has(?:n't| not)|have(?:n't| not)|won't|never|not)"
    r" (?:really |even |seem to |appear to )?(?:work\w*|help\w*|fix\w*|solve\w*|do (?:it|anything)|change anything)\b"
    r"|\bstill (?:fails?|broken|crash\w*|not|the same|get(?:ting)? the|won't|does)|\bkeeps? (?:failing"
    r"|crashing|happening)"
    r"|\b(?:fails?|failed|crash(?:es|ed)|broke) (?:again|too|as well)\b|\bsame (?:error|problem|issue|result)\b"
    r"|\bno (?:luck|success|improvement|difference|effect)\b|\bmade (?:it|things) worse\b|\bwas (?:useless|no help)\b"
    r"|(?:funktioniert|hilft|geht) (?:immer noch |leider )?nicht|hat nicht (?:geholfen|funktioniert)"
    r"|n'a pas (?:marché|fonctionné|aidé)|ne (?:marche|fonctionne) (?:toujours )?pas|no (?:funcionó|funciona"
    r"|sirvió|sirve)"
    r"|没用|沒用|没有用|没效果|沒效果|不管用|不起作用|不行|还是失败|還是失敗|没有解决|沒有解決)",
    re.IGNORECASE,
)
_TRIED = re.compile(
    r"^(?:(?:sorry|well|ok|okay|no|unfortunately|sadly|hmm|but|and|so|yes)\b[,.!]? *)*"
    r"(?:(?:i|we)(?:'ve| have)? (?:tried|did|used|took)|我(?:试|試)了|ich habe) *",
    re.IGNORECASE,
)
_SUGGESTED = re.compile(
    r"^(?:(?:please|first|then|next|maybe|perhaps|ok|okay|sure|yes|in that case),? )*"
    r"(?:(?:you (?:could|can|should|might|may)|i(?:'d| would) (?:suggest|recommend|advise)|i (?:suggest"
    r"|recommend)|how about"
    r"|what about|let's|just) )?(?:(?:try|consider)(?: to)? )?|^(?:请|你可以|试试|建议你?)",
    re.IGNORECASE,
)
_DEICTIC = re.compile(
    r"(?:it|that|this|they|these|those|the (?:advice|suggestion|solution|fix)|这个?|那个?|这样|还是)?"
)


def failures(text: str, answer: str) -> tuple[Rejection, ...]:
    """What somebody says did not work: named in the words, or what the last answer suggested first.

    >>> failures("Restarting the router did not help.", "")
    (Rejection(option='Restarting the router', reason='Restarting the router did not help'),)
    >>> failures("That didn't work.", "Try restarting the router. It takes a minute.")[0].option
    'restarting the router'
    """
    found: dict[str, Rejection] = {}
    for part in _clauses(own_words(text)):
        match = _FAILED.search(part)
        asked = part.rstrip().endswith(("?", "？"))
        if match is None or asked or _CONDITION.search(part) or _REPORTED.search(part):
            continue
        named = _trimmed(re.split(r"[,;，；]|\b(?:but|and)\b", _TRIED.sub("", part[: match.start()]))[-1])
        option = named if named and not _DEICTIC.fullmatch(named.casefold()) else _suggested(answer)
        if option:
            found.setdefault(normalised(option), Rejection(option=option, reason=part.strip(" .!。！")[:_REASON_LIMIT]))
    return tuple(found.values())


def _suggested(answer: str) -> str:
    """What an answer suggests first, up to where a reader would pause."""
    first = next(iter(sentences(answer[:LONGEST])), "")
    return _trimmed(re.split(r"[,;:.!，。；：！]", _SUGGESTED.sub("", first))[0])
