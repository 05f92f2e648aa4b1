"""What in a user's words tells whether earlier talk is needed: words and their neighbours, and cues in many languages.

Names are masked, so that what is learnt about one person holds for all; a sentence means the same in small letters.
Pure; knows no weights.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

FEATURES = "1"
"""Changes with every change of the features, so that no kept weights are read under other ones."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['\u2019][^\W_]+)?|[?!\uff1f]")
_ANY_CJK = re.compile(rf"[{_CJK}]")
_START, _END = 300, 200
"""Characters that are looked at: what is asked stands at the start or the end, what is worked on between."""
_MOST_WORDS = 6
_GIVEN, _NAMED, _RUN = "<given>", "<named>", "<cjk>"
_COMMON = frozenset(
    (
        "april", "art", "austin", "bill", "blake", "chance", "dawn", "don", "drew", "eve", "faith", "frank", "georgia",
        "grace", "hazel", "heather", "holly", "hope", "iris", "jack", "jean", "jordan", "lily", "madison", "mark",
        "mason", "max", "may", "nick", "noel", "olive", "pat", "paris", "penny", "randy", "ray", "rob", "rose", "sandy",
        "scott", "stan", "sue", "violet", "virginia", "will",
    )
)  # fmt: skip
"""Given names that are words as well: names only where they have a capital, and not at the start."""

_SPEECH = (
    r"say|said|tell|told|mention(?:ed)?|ask(?:ed)?|gave|give|show(?:ed)?|describe[d]?|named?|want(?:ed)? to"
    r"|plan(?:ned)?|decided?|agreed?|talk(?:ed)?|discuss(?:ed)?|recommend(?:ed)?|suggest(?:ed)?|promised?|advised?"
)
_CUES = {
    "recall": (
        r"\b(?:remember|recall|remind|forgot|forget|mention(?:ed)?|conversation|chat(?:ted)?|dialogue|discuss(?:ed|ion)?"
        r"|earlier|previous(?:ly)?|last time|so far|talked about|told|agreed|settled on|decided|recommended|suggested"
        r"|promised|yesterday|back to|weißt du noch|erinner\w*|erzählt|gesagt|gestern|bisherig\w*|gespräch|souviens"
        r"|souvenez|hier|conseillé|t'ai dit|parlé|rappell?es?|recuerdas?|ayer|te dije|hablamos|conversación|ricordi"
        r"|ieri|abbiamo parlato|lembra|ontem|conversamos|помнишь|вчера|говорил\w*|рассказывал\w*|разговор\w*|dün"
        r"|hat\u0131rl\w+|konuşmuş\w*|pamiętasz|wczoraj|rozmawiali\w*|mówił\w*)\b"
        r"|记得|記得|回忆|回憶|回顾|回顧|之前|刚才|剛才|刚刚|剛剛|上次|上回|昨天|说过|說過|提到|提过|提過|聊过|聊到|聊天"
        r"|告诉过|告訴過|跟你[说讲說講]|历史对话|歷史對話|对话|對話|前面|一开始|一開始|到目前为止|到现在为止"
        r"|我们.{0,4}(?:讨论|决定|商量|谈)|你.{0,6}(?:推荐|建议|说)的|覚えて|昨日|さっき|前に|話した|기억|어제|했던|했죠"
        r"|تتذكر|قلت لك|याद|बताया"
    ),
    "said": rf"\b(?:i|we|you)(?:'d| had| have| did| once|'ve)? (?:{_SPEECH})\b",
    "past of ours": r"\b(?:did|have|had|were|was|am|do) (?:i|we)\b",
    "my people": (
        r"\bmy (?:\w+ )?(?:sister|brother|mother|father|mum|mom|dad|wife|husband|son|daughter|niece|nephew|uncle|aunt"
        r"|cousin|grand\w+|friend\w*|boss|colleague\w*|neighbou?r\w*|dog|cat|cats|pet|name|family|child\w*|kids|partner"
        r"|girlfriend|boyfriend)\b"
    ),
    "points back": (
        r"\b(?:it|its|that|this|these|those|them|they|their|he|him|his|she|her|again|instead|another|one|same|other"
        r"|second|third|last|your (?:\w+ )?(?:answer|code|list|story|plan|text)|the (?:table|paragraph|function|title)"
        r"|above|das|dies\w*|noch|ça|cela|eso|esto|otro|это|他|她|それ)\b|它|这个|那个|上面|再|继续|換|换|把它|그게|それ"
    ),
    "mine": (
        r"\b(?:my|mine|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?|mi[oae]|miei|meus?|minhas?"
        r"|мо[йяёеи]|мою|моего|моей|benim|m[oó]j|moja|moje)\b|我的|我(?:们|們)?[^\W_]{0,6}[谁誰什哪几幾]|私の|제 |내 "
        r"|मेरा|मेरी"
    ),
    "asks for words": (
        r"\b(?:mean(?:s|ing)?|definition|define|spell|synonym|antonym|rhymes?|pronounce|(?:say|word) .* in \w+"
        r"|translate|translation|heißt .* auf)\b|意思|怎么说|怎麼說|翻译|翻譯"
    ),
    "asks a service": (
        r"\b(?:account|balance|bank|bill|calendar|card|alarm|timer|reminder|shopping list|to do list|meeting|schedule"
        r"|weather|forecast|temperature|rain|traffic|directions|flight|hotel|taxi|recipe|calories|restaurant|reservation"
        r"|volume|lights?|song|playlist|battery|insurance|tax(?:es)?|payday|vacation days|visa|exchange rate|wetter"
        r"|wecker|konto|météo|compte|tiempo hará|cuenta|погода)\b"
        r"|天气|天氣|闹钟|鬧鐘|几点|星期几|播放|打开|余额|账户|车票|机票|导航|天気|날씨"
    ),
    "greets": (
        r"^\W*(?:hello|hi|hey|good (?:morning|evening|afternoon|night)|thanks?|thank you|bye|hallo|guten|danke|tschüss"
        r"|bonjour|salut|merci|hola|buen[oa]s|gracias|ciao|buongiorno|grazie|olá|bom dia|obrigad[oa]|привет"
        r"|здравствуй\w*|спасибо|merhaba|günayd\u0131n|teşekkür\w*|cześć|dzień dobry|dziękuję)\b"
        r"|^\W*(?:你好|您好|早上好|晚上好|谢谢|謝謝|再见|再見|こんにちは|おはよう|ありがとう|안녕|감사|مرحبا|صباح|शुभ|नमस्ते)"
    ),
    "tells": (
        r"^\W*(?:i am|i'm|i have|i've|i just|i love|i like|i feel|i want to|i work|i live|i was|my name is|we are|we're"
        r"|today i|ich (?:bin|heiße|habe|möchte)|je (?:suis|m'appelle|vis)|me llamo|soy|mi chiamo|sono|меня зовут)\b"
        r"|^\W*(?:我叫|我是|我最近|我今天|我想|我刚|我在|我对|我喜欢)[^\uff1f?吗]*$|私は.*です"
    ),
    "brings material": r"[:\uff1a]\s*\S",
    "asks for work": (
        r"^\W*(?:please |can you |could you )?(?:write|draft|compose|create|make|plan|recommend|suggest|translate"
        r"|define|explain|convert|calculate|play|set|book|order|turn|show|find|call|text|send|remind|add)\b"
    ),
    "follows on": r"^\W*(?:and|but|so|then|or|no|yes|okay|ok|und|aber|et|y|e|\u0430|и)\b|^\W*(?:那|然后|好的|不对)",
}


@dataclass(frozen=True, slots=True)
class Features:
    """What was found in one text."""

    words: Counter[str]
    """Words, pairs and threes of them; of Chinese, Japanese and Korean characters likewise."""
    cues: frozenset[str]


@cache
def _cue(name: str) -> re.Pattern[str]:
    """Made when first asked for: a command that judges no turn needs none."""
    return re.compile(_CUES[name], re.IGNORECASE)


def features_of(text: str, given_names: AbstractSet[str]) -> Features:
    """The features of a user's words; of a long text, of its start and its end."""
    looked_at = text if len(text) <= _START + _END else f"{text[:_START]} {text[-_END:]}"
    bare = unicodedata.normalize("NFKC", looked_at).replace("\u2019", "'")
    masked, runs = _masked(bare, given_names)
    return Features(words=_counted(masked) + runs, cues=_cues(bare, masked))


def _masked(text: str, given_names: AbstractSet[str]) -> tuple[list[str], Counter[str]]:
    """Words in small letters, names masked; and the parts of what is written without blanks."""
    words: list[str] = []
    runs: Counter[str] = Counter()
    for place, piece in enumerate(_PIECE.findall(text)):
        if _ANY_CJK.search(piece):
            words.append(_RUN)
            runs.update(piece[at : at + size] for size in (1, 2, 3) for at in range(len(piece) - size + 1))
            runs[f"^{piece[:2]}"] += 1
            continue
        owning = piece.casefold().endswith("'s")
        words.append(_mask(piece[:-2] if owning else piece, given_names, first=place == 0))
        words.extend(["'s"] if owning else [])
    return words, runs


def _mask(word: str, given_names: AbstractSet[str], *, first: bool) -> str:
    small, capital = word.casefold(), word[:1].isupper()
    if small in given_names and (small not in _COMMON or (capital and not first)):
        return _GIVEN
    own = small == "i" or small.startswith("i'")
    return _NAMED if capital and not first and not own and not word.isupper() else small


def _counted(words: list[str]) -> Counter[str]:
    framed = ["<", *words, ">"]
    counted = Counter(words)
    for size in (2, 3):
        counted.update(" ".join(framed[at : at + size]) for at in range(len(framed) - size + 1))
    return counted


def _cues(text: str, words: list[str]) -> frozenset[str]:
    found = {name for name in _CUES if _cue(name).search(text)}
    given, named = _GIVEN in words, _NAMED in words
    if given:
        found.add("given name" if named else "given name alone")
    elif named:
        found.add("other name")
    found.add(f"length {min(_MOST_WORDS, len(words) // 2)}")
    return frozenset(found)
