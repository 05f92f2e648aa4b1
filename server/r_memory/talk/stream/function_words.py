"""Words that say nothing of what a text is about, by language. Data; the reader is `words.py`."""

from collections.abc import Mapping


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": _words(
        "a an the and or but if of in on at to for from with by as is are was were be been being am do does did have "
        "has had i you he she it we they me him her us them my your his its our their this that these those there "
        "here what which who whom when where why how not no so than then too very can will just would could should "
        "about into up down out over again s t d ll ve re m don didn doesn isn wasn aren"
    ),
    "de": _words(
        "der die das den dem des ein eine einen einem einer eines und oder aber wenn von im in an am auf zu zum zur "
        "für mit bei als ist sind war waren sein wird werden habe hat haben hatte ich du er sie es wir ihr mich dich "
        "ihn uns euch mein meine dein deine sein seine ihre unser dies diese dieser dieses was welche wer wen wann wo "
        "warum wie nicht kein keine so dann auch noch nur schon kann können soll sollte über nach aus vor mir dir "
        "ihm ihnen dass sich man"
    ),
    "fr": _words(
        "le la les l un une des de du d et ou mais si dans en au aux à pour par avec sur sous comme est sont était "
        "étaient être été a ai as ont avait avoir je tu il elle on nous vous ils elles me te se mon ma mes ton ta tes "
        "son sa ses notre votre leur leurs ce cet cette ces qui que quoi qu quel quelle quels quelles quand où "
        "pourquoi comment ne pas n non y c j m s t plus très aussi"
    ),
    "es": _words(
        "el la los las un una unos unas de del y o u e pero si en al a para por con sobre como es son era eran ser "
        "sido estar está están he ha han había haber yo tú él ella nosotros vosotros ellos ellas me te se nos os lo "
        "le les mi mis tu tus su sus nuestro nuestra este esta estos estas ese esa eso esto que qué quién cuál cuándo "
        "dónde por porqué cómo no ni más muy también ya"
    ),
}
"""By language, normalised; only languages whose words are stemmed."""

RECALL_WORDS = _words("remember recall mention mentioned earlier previously told said talked discussed")
"""A question about the past names the act of remembering; what is looked for does not hold these words."""
RECALL_PHRASES = (
    "还记得", "還記得", "记得", "記得", "回忆一下", "回憶一下", "回忆", "回憶", "之前", "刚才", "剛才",
    "说过", "說過", "提到过", "提到過", "提到", "覚えて",
)  # fmt: skip
"""The same where words are not separated; longer ones first."""
FUNCTION_CHARACTERS = frozenset("的是什么麼吗嗎了呢吧啊哪怎这這那请請問问谁誰几幾はがをにのとでか何")
"""Of a question's bigrams those with one of these say nothing of what it asks for."""
