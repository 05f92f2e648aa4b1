"""How much a sentence matters, told by words that stand for what changes a life, and by those of small talk.

From 10 for a death to 1 for a greeting (Mimir: `got married` and `a loved one passed` are high, the weather is 1). The
table, and the words that a field adds, are the whole method: it reads words, not meaning, and a model that does better
is asked through `asking.py`. Conversational memory only; no fact and no safety depends on it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from r_memory.text.sentences import sentences as sentences_of

USUAL = 3
"""Importance of a sentence that no cue speaks of."""
GRAVE = 7
"""From here on a sentence must stand in a summary."""
_ASKED = 5
"""A question is never more than this: it says that somebody wants to know, not that it is so."""

_KIN = (
    r"(?:mother|father|mum|mom|dad|parents?|wife|husband|partner|son|daughter|child|baby|brother|sister|grand\w+"
    r"|aunt|uncle|cousin|friend)"
)
_TABLE: Sequence[tuple[int, Sequence[str]]] = (
    (
        10,
        (
            r"\b(?<!phone )(?<!battery )(?<!car )(?<!laptop )(?<!engine )died\b(?! laughing)",
            r"\bpassed away\b|\bfunerals?\b|\bburied\b|\bbereave\w*|\bwidow(?:ed|er)?\b|\bsuicid\w*|\bmurdered\b",
            rf"\blost (?:my|his|her|our|their) {_KIN}\b|\bmiscarriage\b",
            r"\bgestorben\b|\bverstorben\b|\bbeerdigung\b|\bdécédée?\b|\bobsèques\b|\bmurió\b|\bfalleció\b|\bentierro\b",
            "去世|过世|過世|逝世|葬礼|葬禮|丧事|喪事|自杀|自殺|亡くな|葬儀|葬式",
        ),
    ),
    (
        9,
        (
            r"\bgave birth\b|\bwas born\b|\bnewborn\b|\bpregnan\w+|\bgot (?:married|engaged|divorced)\b|\bweddings?\b",
            r"\bdivorc\w+|\bmarried (?:him|her|me|my)\b|\bproposed to\b|\badopted a\b",
            r"\bdiagnosed\b|\boperated on\b|\bhospitali[sz]ed\b",
            r"\bin (?:the )?hospital\b",
            r"\b(?:car|bad|serious|terrible|an) accident\b|\bassaulted\b|\bhouse (?:burnt|burned) down\b",
            r"\bgeboren\b|\bschwanger\w*|\bgeheiratet\b|\bhochzeit\b|\bnée? le\b|\benceinte\b|\bmariage\b",
            r"\bembarazada\b|\bboda\b|\bnació\b",
            "出生|怀孕|懷孕|结婚|結婚|婚礼|婚禮|离婚|離婚|订婚|訂婚|住院|车祸|車禍",
            "生まれた|妊娠|離婚|入院|事故",
        ),
    ),
    (
        8,
        (
            r"\bdecided\b|\bmade up (?:my|our|his|her) mind\b|\bquit (?:my|his|her) job\b",
            r"\bgot (?:the|a) (?:\w+ )?job\b",
            r"\b(?:got|was|been) (?:fired|laid off|promoted|accepted|arrested)\b|\bnew job\b",
            r"\bresigned\b|\bretir(?:ed|ing)\b",
            r"\bmov(?:ed|ing) (?:to|in with|out|away)\b|\bbought (?:a|the|our|my) (?:house|flat|apartment)\b",
            r"\bgraduated\b|\bbankrupt\w*|\bbroke up\b|\bbreak[- ]up\b|\bstopped drinking\b|\brelapsed?\b",
            r"\bentschieden\b|\bgekündigt\b|\bumgezogen\b|\bdécidé\b|\bdéménagé\b|\bdecidí\w*|\bme mudé\b",
            "决定|決定|辞职|辭職|失业|失業|搬到|搬家|退休|毕业|畢業|买房|買房|分手|引っ越|退職|卒業",
        ),
    ),
    (
        7,
        (
            r"\bi promise\b|\bpromised\b|\bi swear\b|\bi vow\w*|\byou (?:can|have) my word\b|\bnever tell\b|\bsecret\b",
            r"\bdevastated\b|\bheartbroken\b|\bterrified\b|\bdepress\w+|\bdesperate\b|\bpanic attacks?\b",
            r"\bi love you\b",
            r"\bversprech\w*|\bversprochen\b|\bje promets\b|\bprometo\b|\bprometí\b",
            "答应|答應|保证|保證|承诺|承諾|发誓|發誓|秘密|伤心|傷心|绝望|絕望|抑郁|約束",
        ),
    ),
    (
        6,
        (
            r"\bappointments?\b|\bdeadlines?\b|\bbirthday\b|\banniversary\b|\bbooked\b|\bexams?\b|\binterview\b",
            r"\bnext (?:week|month|year)\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bagreed\b",
            r"\bplan(?:s|ned)? to\b",
            r"\btermin\b|\bgeburtstag\b|\brendez-vous\b|\banniversaire\b|\bcita\b|\bcumpleaños\b",
            "预约|預約|截止|生日|下周|下週|下个月|下個月|面试|面試|考试|考試|计划|計劃|予約|誕生日",
        ),
    ),
    (
        5,
        (
            r"\bmy name is\b|\bi(?:'m| am) (?:a|an|from)\b|\bi (?:live|work|study|teach)\b|\bfavou?rite\b",
            rf"\bi (?:really )?(?:like|love|hate|prefer|enjoy|collect|play)\b|\bmy {_KIN}\b",
            "我叫|我是|我住|喜欢|喜歡|讨厌|討厭|最爱|最愛|好き|嫌い",
        ),
    ),
)
Cues: TypeAlias = Sequence[tuple[int, re.Pattern[str]]]
"""Importance to what gives it, gravest first."""
CUES: Cues = tuple((weight, re.compile("|".join(patterns), re.IGNORECASE)) for weight, patterns in _TABLE)
"""What changes every life, whatever it is about."""
_DENIED = re.compile(
    r"(?:\b(?:nobody|no|not|none|never|without)\b|n't\b|没有?|沒有?|不)\W*(?:\w+\W+){0,2}$", re.IGNORECASE
)
_SMALL_TALK = re.compile(
    r"(?:hi+|hello|hey|good (?:morning|afternoon|evening|night|day|bye)|goodbye|bye|see you|take care|how are you"
    r"|how(?:'s| is) it going|what's up|nice to (?:see|meet) you|thanks?|thank you|you're welcome|no problem|ok(?:ay)?"
    r"|sure|yes|no|yeah|yep|great|cool|wow|haha+|lol|i am fine|i'm fine|fine|(?:nice|lovely|terrible|bad) weather"
    r"|it(?:'s| is) (?:raining|sunny|cold|hot|warm)|the weather|hallo|guten (?:tag|morgen|abend)|danke|tschüss|bonjour"
    r"|merci|au revoir|hola|gracias|adiós|你好|您好|早上好|晚上好|晚安|再见|再見|谢谢|謝謝|今天天气|今天天氣|天气|天氣"
    r"|こんにちは|おはよう|ありがとう|さようなら)(?![a-zà-ÿ])",
    re.IGNORECASE,
)
_FIRST_CJK = 0x2E80
_SHORT = 60
"""Characters; what begins like small talk and goes on for longer says more."""
_FEELINGS = {
    "joy": r"\b(?:happy|glad|thrilled|excited|delighted|overjoyed)\b|高兴|高興|开心|開心|嬉しい",
    "grief": r"\b(?:sad|grie\w+|mourn\w*|heartbroken|devastated|crying|cried)\b|难过|難過|伤心|傷心|悲",
    "fear": r"\b(?:afraid|scared|terrified|anxious|worried|nervous|panic)\b|害怕|担心|擔心|紧张|緊張|不安",
    "anger": r"\b(?:angry|furious|annoyed|upset|outraged)\b|生气|生氣|愤怒|憤怒",
    "pride": r"\b(?:proud|pride)\b|骄傲|驕傲|自豪",
    "gratitude": r"\b(?:grateful|thankful)\b|感激|感恩",
    "loneliness": r"\b(?:lonely|alone)\b|孤独|孤獨|寂寞",
    "relief": r"\b(?:relieved|relief)\b|松了口气|鬆了口氣|放心",
}
_FELT = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _FEELINGS.items()}


def cues_with(more: Mapping[int, Sequence[str]]) -> Cues:
    """The cues, and words of a field by their importance; `*` in a word is any ending."""
    own = (
        (weight, re.compile("|".join(map(_pattern, words)), re.IGNORECASE)) for weight, words in more.items() if words
    )
    return tuple(sorted((*CUES, *own), key=lambda cue: -cue[0]))


def weight_of(sentence: str, cues: Cues = CUES) -> int:
    """Importance of a sentence, from 1 to 10, by the gravest cue that is not denied right before it.

    >>> weight_of("My father died in May."), weight_of("Nice weather today!"), weight_of("The boat is red.")
    (10, 1, 3)
    """
    bare = sentence.strip()
    weight = next((weight for weight, cue in cues if _stands(cue, bare)), 0)
    if bare.endswith(("?", "\uff1f")):
        weight = min(weight, _ASKED)
    if weight:
        return weight
    return 1 if len(bare) <= _SHORT and _SMALL_TALK.match(bare) else USUAL


def importance(sentences: Iterable[str], cues: Cues = CUES) -> int:
    """Importance of several sentences: of the gravest."""
    return max((weight_of(sentence, cues) for sentence in sentences), default=1)


def rated(text: str, cues: Cues = CUES) -> int:
    """Importance of what somebody says: of its gravest sentence.

    >>> rated("Hello. My father died in May. Nice weather!")
    10
    """
    return importance(sentences_of(text), cues)


def feelings(text: str) -> tuple[str, ...]:
    """Feelings that a text names."""
    return tuple(name for name, pattern in _FELT.items() if pattern.search(text))


def _pattern(word: str) -> str:
    # Chinese and Japanese words have no borders to be found.
    border = r"\b" if word.isascii() or (word[:1].isalpha() and ord(word[0]) < _FIRST_CJK) else ""
    return border + re.escape(word).replace(r"\*", r"\w*") + border


def _stands(cue: re.Pattern[str], sentence: str) -> bool:
    return any(
        not _DENIED.search(sentence[max(0, found.start() - 30) : found.start()]) for found in cue.finditer(sentence)
    )
