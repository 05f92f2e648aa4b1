"""How people turn an option down, by language. Data and its notation; the reader is `exclusions.py`.

A rule is a pattern with the place of the option in it; it begins at the margin, and goes on in lines that are indented.
`{o}` stands for the words of an option up to the end of its clause, `{x}` for its words before something else, `{at}`
for the beginning of a clause, `{do}` for that of an order or a wish, other names for the parts below. What is quoted,
reported, asked or said under a condition never gets here.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

# ruff: noqa: RUF001 - full-width punctuation and dashes as people type them

_PARTS = r"""
option
    (?P<option>(?:[^\s,;:.!?()]|[.:](?=\w))(?:[^,;:.!?()\n]|[.:](?=\w)){0,80}?)
end
    (?=\s*(?:[,;:!?()]|\.(?!\w)|\s[-–—]\s|$)|\s+(?:because|since|as|so|but|while|please|pls|plz|thanks|thx|thank you|
    any ?more|though|otherwise|no|or|
    any longer|again|this time|next time|after all|for (?:this|that|it|now|us|me|the moment)|with (?:this|that)|at all|
    either|right now|anyway|altogether|from (?:the|my|our|this|your) (?:list|shortlist|options|menu|plan|choices|page)|
    off (?:the|my|our) \w+|in (?:your|the) (?:answers?|repl(?:y|ies))|here|to me|due to|given that|unless|until|
    and then|instead)\b)
o
    {option}{end}
x
    {option}
at
    (?:^|[,;:]\s*|\.\s+|\s[-–—]\s|\b(?:but|so|and|then|thus|thanks|thank you|well|ok|okay|no|yes|please|sorry)[,:]?\s+)
do
    (?:^|[,;:]\s*|\.\s+|\s[-–—]\s|\b(?:but|so|and|then|thus|just|please|let's|let us|we should|we must|we could|
    i'd like to|
    i would like to|i want to|got to|need to|try to|i'd prefer to|we'd prefer to|rather|i'd|i would|we'd|we would|
    best to|we can|i can|must|
    we want to|we'd like to|can we|can you|could you|could we|would you|will you|you can|
    you may|you should|we'd better|better|i'll|we'll|we will|i will|going to|we have to|we need to|you could)\s+)
    (?:please\s+|now\s+|also\s+|just\s+)?
wont
    (?:do not|don't|dont|will not|won't|would not|wouldn't|cannot|can not|can't|should not|shouldn't|must not|mustn't)
will_not
    (?:won't|will not|am not going to|are not going to|'m not going to|'re not going to|wouldn't|would not|am not gonna|
    'm not gonna)
light
    (?:(?:to\s+)?(?:use|using|used|take|taking|recommend|recommending|suggest|suggesting|propose|proposing|offer|
    offering|mention|mentioning|bring up|bringing up|talk about|talking about|talk of|discuss|discussing|show me|
    showing me|show|book|booking|buy|buying|include|including|add|adding|consider|considering|go with|going with|go for|
    going for|try|trying|choose|choosing|pick|order|ordering|hire|hiring|eat|eating|drink|wear|see|hear about|have|
    having|do|doing|want|schedule anything|schedule|come with|work with|working with|fly with|travel by|get|put in|
    send me|rely on|switch to|stay at|stay in|anything (?:more )?to do with|have anything (?:more )?to do with|
    be hiring|be using|be taking|be doing|be going with|the idea of|
    the idea with|the plan of|the plan for|the option of)\s+(?:(?:on|in|for|with|at|about)\s+)?)?
harmless
    (?:worry|worries|forget|hesitate|mind|know|think|care|panic|be|give up|stop|tell|let|get me|make me|ask|hurry|
    bother|believe|remember|understand|see why|see how|see what|recall|agree|want to interrupt|have to|need to|seem|
    look|sound|feel|miss|lose|blame|thank|apologi[sz]e|laugh|cry|wait|move|sure|you|we|they|i|it|he|she)\b
no_idiom
    (?:problem|problems|worries|worry|doubt|idea|ideas|later|matter|wonder|one|rush|hurry|thanks|thank|way|sooner|less|
    fewer|longer|more than|other|big deal|kidding|pressure|chance|need to|offen[cs]e|time|room|luck|news|answer|
    difference|clue|interest|point|wait|actually|honestly|seriously|signal|internet|body|question|reason|reply|sign|
    comment|surprise|good|not|i|it|that|that's|this|we|you|he|she|they|there|please|but|and|so|go|sorry|never)\b
not_idiom
    (?:only|gonna|going|saying|knowing|having|surprising|surprisingly|in the|on the|from|of|bad|at all|yet|sure|really|
    quite|much|necessarily|too|now|today|exactly|long|far|just|even|so|that i|
    everyone|everybody|all|always|every|possible|true|funny|least|that bad|to mention|if|until|again|a problem|a single|
    one of|many|enough|good|great|ideal|perfect|interested|my|your)\b
out
    (?:out(?=\s*(?:[,;.!]|$)|\s+(?:because|for|as)\b)|out of the (?:running|picture|race)|off the table|off the list|
    not an option|
    no option|not an alternative|no alternative|a no-go|a no go|out of the question|ruled out|excluded|unacceptable|
    not acceptable|not for (?:me|us)|not happening|no longer an option|impossible for (?:me|us)|a dealbreaker|
    a non-starter|not going to happen|not going to work|an? (?:\w+ )?no(?: (?:for|from) (?:me|us))?(?=\s*(?:[,;.!]|$)|
    \s+(?:because|since|as|for|from)\b)|not possible|
    not (?:my|our) (?:thing|cup of tea|style)|(?:way |far |much )?too \w+ for (?:me|us)|scrapped|dead|history|
    not (?:the )?right for (?:me|us)|not suitable|no good|not going in)\b
c_option
    (?P<option>[^，。！？；：、,.!?;:\s了吧啦呢吗嗎因]{1,20}?)
c_o
    {c_option}(?=[，。！？；：,.!?;:\s]|$|了|吧|啦|因为|因為|就好|就行|都行|以外|之外)
c_at
    (?:^|[，。；：、,;:\s]|请|請|那就|那么|那|就|还是|還是|咱们|咱們|我们|我們|我|你|您|以后|以後|暂时|一定|千万|千萬)
c_verb
    (?:再|给我|給我|跟我|和我|使用|采用|採用|用|推荐|推薦|建议|建議|提到|提起|提|聊|谈|談|讨论|討論|说|說|安排|考虑|考慮|放|加|
    买|買|请|請|选|選|坐|去|吃|喝|要|发|發|做|订|訂|看|接受|采纳|穿|住|找|搞|弄)
c_not
    (?:不要|别|別|勿|甭|莫)
c_harmless
    (?:担心|擔心|忘|急|客气|客氣|紧|緊|怕|的|人|说笑|鬧|闹|介意|管|动|動|谢|謝|着急|生气|生氣|难过|難過)
"""

_ENGLISH = r"""
{at}(?:please\s+)?(?:do not|don't|dont|does not|doesn't|never(?! in (?:my|all|
    the)|\s+(?:have|has|had|did|do|does|was|were|is|am|are|will|would|could|can)\s+(?:i|we|you|he|she|it|they|there|the|
    my|our)\b))\s+(?:ever\s+)?(?:even\s+)?(?!{harmless}){light}{o}
\bunder no circumstances\s+(?:should|must|may|can|will)?\s*(?:i|we|you|anybody)?\s*(?:use|take|store|put|save)?\s*{o}
{at}(?:i|we)\s+(?:really\s+|just\s+|still\s+|simply\s+)?(?:{wont}|no longer|never)\s+(?:really\s+)?
    (?:want|like|need|accept|consider|use|take|eat|drink|fancy|buy|wear|stay (?:at|in)|go (?:to|with|for)|fly with|
    work with|do|stand|tolerate|trust|support|be (?:hiring|using|taking|doing|buying|booking|going (?:to|with|for)))
    \s+{light}(?:any\s+)?{o}
\b(?:i|we)\s*{will_not}\s+(?!be\b|have\b|know\b|need\b|see\b|get\b|make it|forget|lie|mind|hesitate|tell|say|go into|
    bore|keep|let|stop|give up|until|complain|arrive|come|hold|last|wait|manage|finish|disturb|disappoint){light}{o}
\b(?:i|we)\s+(?:really\s+|just\s+|simply\s+)?(?:can't|cannot|can not|could not|couldn't)\s+(?:stand|bear|tolerate|abide|
    afford|accept|have|deal with|cope with)\s+(?:the\s+)?{light}{o}
\b(?:i|we)\s+(?:do not|don't)\s+(?:care for|fancy|see the point (?:of|in)|believe in)\s+{light}{o}
\b(?:i|we)\s+(?:do not|don't)\s+think\s+(?:that\s+)?(?:i|we|you)\s+(?:should|ought to|need (?=a\b|an\b|the\b|any\b)|
    want)\s*{light}{o}
\b(?:i|we)\s+(?:do not|don't)\s+think\s+(?:that\s+)?{x}\s+(?:is|are|would be|will be)\s+(?:a good|the right|right|
    suitable|worth|for (?:us|me)|necessary|needed)\b
\b(?:i'd|i would|we'd|we would)\s+prefer\s+(?:not\s+to\s+|no\s+){light}{o}
{at}(?:i|we)\s+(?:want|need|would like|have)\s+(?:absolutely\s+)?no\s+(?:interest in\s+)?(?!{no_idiom}){o}
\b(?:no interest in|zero interest in|little interest in|refrain from|no point in|no use for|
    (?<!n't say )(?<!not say )(?<!never say )no to|pass on(?! the (?:message|news|word|information))|count (?:me|
    us) out of|moving on from|move on from)\s+{light}{o}
\b(?:rules|(?:that|this|which|it|i|we|i've|we've|i have|we have)\s+ruled?)\s+out\s+{o}
\b(?:rules|that ruled|this ruled)\s+{x}\s+out\b
\b(?:use|take|choose|pick|give me|send|book|make|show me|try)\s+[^,.;:!?]{1,40}?\s(?:instead of|
    rather than)\s+{light}{o}
\b(?:any|all|every|everything|anything|either)\b[^,.;:!?]{0,40}?\b(?:fine|good|ok|okay|great|possible|works|welcome|
    do)\b
    [^.;:!?]{0,12}?\b(?:except|but(?: not)?|other than|apart from)\s+(?:for\s+)?{o}
\b(?:can|could|would) (?:we|you)\s+(?:please\s+)?not\s+(?!hear|see|wait|sleep|tell|come|find|understand|know|
    just){light}{o}
{at}never mind\s+(?:about\s+)?(?!me\b|that\b|if\b|it\b){o}
\bno way (?:i am|i'm|we are|we're|am i|are we)\s+(?:going to\s+)?(?:\w+ing\s+)?(?:out\s+)?{light}{o}
\b(?:i|we)\s+(?:do not|don't|cannot|can't)\s+(?:consent to|agree to|approve of|subscribe to|sign up for)\s+{light}{o}
{at}{x}\s+(?:is|are)\s+(?:something|one thing|a thing|things)\s+(?:that\s+)?(?:i|we)(?:'d| would)?\s+(?:want|like|
    prefer|have)
    \s+to\s+(?:avoid|skip|leave out|do without|exclude|drop)\b
{at}{x}\s+(?:i|we|you)\s+(?:can|could|should|may|will)\s+(?:forget|skip|drop|leave out|scrap|exclude|rule out)\b
\b(?:my|our|the) answer to\s+{x}\s+is\s+(?:a\s+)?(?:clear\s+|firm\s+)?no\b
{at}(?:never again|never ever)\s+{light}{o}
{do}(?:lose|kill|nix|axe|bin|dump)\s+(?:the|that|those|these|all)\s+{o}
{do}(?:put|lay)\s+{x}\s+to (?:bed|rest)\b
{at}(?:the (?:topic|subject|matter) of\s+){x}\s+is\s+(?:closed|over|done|finished)\b
{at}{x}\s+(?:does not|doesn't|do not|don't)\s+(?:appeal to|interest|convince|suit)\s+(?:me|us)\b
\b(?:we're|i'm|we are|i am)\s+not\s+(?:doing|using|taking|going (?:with|for|to)|buying|booking|hiring|having|
    interested in|keen on|happy with|a fan of|up for)\s+{light}{o}
\b(?:i'd|i would|we'd|we would|i'll|we'll|let's|let us|better|
    would)\s+(?:rather\s+)?not\s+(?!{harmless})(?:go with\s+)?{light}{o}
\b(?:i|we)\s+(?:refuse|decline)\s+(?:to\s+)?{light}{o}
\b(?:i|we)(?:'ve|'m|'re| have| am| are)?\s+(?:now\s+|just\s+)?(?:decided against|against|done with|fed up with|tired of|
    had it with|had enough of|ruled out|dropped|abandoned|rejected|reject)\s+{light}{o}
(?<!is )(?<!are )(?<!was )(?<!were )(?<!have )(?<!had )(?<!has )\bno more\s+(?:talk (?:about|of)\s+|
    of\s+)?(?!than\b){light}{o}
{at}(?:absolutely\s+|definitely\s+)?no need (?:for|of)\s+{o}
{at}(?:absolutely\s+|definitely\s+|and\s+|with\s+)?no\s+(?!more\b|need\b|{no_idiom})(?P<bare>){o}
{at}not\s+(?!{not_idiom})(?P<bare>){o}
\b(?:anything|everything|anywhere|whatever|any)\s+(?:but|except|other than|apart from)\s+(?:for\s+)?{o}
{at}nothing (?:with|from|by|in|on)\s+{o}
{at}(?:please\s+)?without\s+(?:any\s+)?(?!you\b|me\b|doubt\b|us\b)(?P<bare>){o}
\binstead of\s+{x}\s+(?:i|we|i'd|we'd)\b
{do}(?:stop|quit|cease)\s+(?:using|with|suggesting|proposing|recommending|talking about|mentioning|offering|showing me|
    showing|bringing up|sending me|sending|pushing|pitching|asking about|asking me about|adding|including)\s+{o}
{do}(?:avoid|exclude|rule out|skip|scrap|ditch|omit|eliminate|discard|drop|cancel|forget(?: about)?|get rid of|ignore|
    disregard|
    leave out|leave aside|cut out|stay away from|steer clear of|do without|give up on|do away with)\s+
    (?:the idea (?:of|with)\s+|the plan (?:of|for|with)\s+)?(?!me\b|you\b|ahead\b|it\b|to\b|the duplicates\b){light}{o}
{do}(?:leave|rule|cut|keep|cross|strike|take|kick|throw)\s+{x}\s+(?:out|off|away)\b
{do}(?:strike|kick|throw|take|cross|weed)\s+(?:out|off)\s+(?!of\b){o}
{do}(?:keep|steer|stay)\s+(?:away|clear|out)\s+(?:from|of)\s+{o}
{do}(?:remove|delete|strike|cross|drop|take|cut|exclude)\s+{x}\s+from\s+(?:the|my|our|your)\s+(?:\w+\s+)?
    (?:list|shortlist|options|menu|plan|choices|agenda|running|budget)\b
\benough\s+(?:about|of|with|on)\s+{o}
\b(?:end|close|finish|stop|drop|leave)\s+(?:the|this|that|our|any)\s+(?:discussion|topic|subject|talk|debate|
    conversation|matter)\s+(?:about|of|on|over|around)\s+{o}
{at}{x}\s+(?:is|are|was|were|'s)\s+(?:definitely\s+|simply\s+|clearly\s+|just\s+|also\s+|now\s+)?{out}
{at}{x}\s+(?:(?:won't|will not|doesn't|does not|don't|do not|cannot|can't)\s+(?:do|suit|be possible|
    (?:work|fit)\s+for)|(?:won't|will not)\s+work)(?:\s+(?:for\s+)?(?:me|us))?(?=\s*(?:[,;:.!?]|$)|
    \s+(?:because|since|as)\b)
{at}(?:please\s+)?spare (?:me|us)\s+{o}
\b(?:not|don't|dont|won't|needn't)\s+bother\s+(?:with|about)\s+{light}{o}
\bgiv(?:e|ing)\s+{x}\s+a (?:miss|pass|wide berth|rest)\b
\b(?:i'd|i would|we'd|we would)\s+(?:sooner|rather)\s+[^,.;:!?]{2,40}?\sthan\s+(?!wait\b|nothing\b|ever\b|usual\b|
    before\b|never\b){light}{o}
\b(?:i|we)(?:'ve| have|'ll| will)?\s+(?:passed on|(?:turn|turned) down|opted out of|backed out of|pulled out of|
    walked away from|moved on from|gone off|sworn off|waved goodbye to|said goodbye to|ditched|scrapped|shelved|axed|
    vetoed|buried|given up on|gave up on|soured on|lost (?:all )?interest in)\s+(?!the (?:news|
    message|word|information|heating|heat|volume|music|radio|lights?|sound)\b){light}{o}
\b(?:i|we)\s*{will_not}\s+be\s+(?:needing|requiring|wanting|attending|renewing|inviting|joining|going (?:to|with|for))
    \s+{o}
{at}rather\s+no\s+(?P<bare>){o}
\b(?:i'm|we're|i am|we are)\s+no longer\s+(?:considering|interested in|using|buying|looking (?:at|for|into)|planning|
    taking|doing|going (?:to|with|for)|in the market for|keen on|after)\s+{light}{o}
\b(?:i'm|we're|i am|we are)\s+not\s+going\s+(?:back to|near|anywhere near|down|through)\s+{o}
{do}(?:abandon|shelve|forgo|forego|call off|park|dismiss|ban)\s+(?:the idea (?:of|with)\s+|the plan (?:of|for|with)\s+)?
    (?!me\b|you\b|it\b|here\b|the car\b){o}
{at}{x}\s+(?:is|are|was|were|'s)\b[^.;:!?]{2,40},\s*so\s+(?:that|it|they|those)(?:'s|'re| is| are)\s+{out}
{at}{x}\s+(?:isn't|aren't|wasn't|weren't)\s+(?:an option|an alternative|for (?:me|us)|(?:my|our) (?:thing|cup of tea|
    style)|going to (?:happen|work)|happening|acceptable|in the running|on the (?:table|cards)|worth (?:it|the \w+))
\b(?:i|we)(?:'ve| have)?\s+(?:decided|agreed|chosen|chose|opted|resolved)\s+not\s+to\s+{light}{o}
\b(?:i|we)(?:'m|'re|'d| am| are| would)?\s+(?:vote|voting|voted|argue|arguing|advise|advising|leaning)\s+(?:no on|
    against)\s+{light}{o}
\b(?:want|need|have|'ll have|will have)\s+nothing\s+(?:more\s+|else\s+)?to do with\s+{o}
{do}(?:put|leave)\s+{x}\s+behind(?:\s+(?:me|us))?(?=\s*(?:[,;.!?]|$))
{at}{x}\s+(?:has|have|needs?)\s+to\s+go(?=\s*(?:[,;.!?]|$))
\b(?:can't|cannot|can not|don't|do not)\s+(?:really\s+)?see\s+(?:me|myself|us|ourselves)\s+(?:ever\s+)?{light}{o}
{at}{x}\s+leaves?\s+(?:me|us)\s+cold\b
{at}{x}\s+(?:is|are|would be|'s)\s+(?:just\s+|simply\s+|really\s+|only\s+)?(?:a waste of (?:time|money|space)|
    not worth (?:it|the \w+))
\b(?:better off|happier|fine|live|manage|cope|get by)\s+without\s+(?!me\b|you\b|him\b|her\b){o}
\bdon't you dare\s+{light}{o}
\b(?:i'd|i would|we'd|we would)\s+(?:prefer\s+(?:it\s+)?(?:if\s+)?|rather\s+)(?:you|we|they)\s+(?:didn't|did not|don't|
    do not|wouldn't)\s+{light}{o}
\bthe less\s+(?:\w+\s+){0,2}(?:about|of|with)\s+{x}\s*,?\s+the better\b
\byou(?:'ll| will)\s+never\s+(?:get|catch|see|find)\s+me\s+(?:to\s+)?(?:\w+ing\s+)?(?:on\s+|in\s+|to\s+|at\s+)?{o}
{at}(?:hands off|away with|to hell with|the hell with|enough already with|goodbye to|farewell to|thumbs down (?:for|to|
    on))\s+{o}
\bdraw the line at\s+{light}{o}
{at}hold the\s+(?!line\b|door\b|phone\b|lift\b|elevator\b|fort\b|horses\b){o}
\bwant(?:s)? out of\s+{o}
\b(?:i|we)\s+(?:really\s+|just\s+)?(?:hate|loathe|detest|dread)\s+the (?:idea|thought) of\s+{o}
\b(?:i|we)(?:'ve| have)?\s+(?:got\s+)?no\s+(?:desire|intention|wish|appetite|plans?|use)\s+(?:to|for|of)\s+{light}{o}
\bcan't be (?:bothered|doing) with\s+{o}
\b(?:and|or) i\s+(?:have\s+)?(?:ditched|scrapped|shelved|axed|vetoed|buried|dropped|ruled out|rejected)\s+{o}
\b(?:i'm|we're|i am|we are)\s+(?:through|finished) with\s+(?!the\b|my\b|it\b){o}
\b(?:i|we)(?:'ve| have)?\s+(?:crossed|struck|ruled|voted)\s+{x}\s+(?:off|out|down)\b
\b(?:i|we)\s*{will_not}\s+have\s+(?:an?|any|that|those|these)\s+(?!chance\b|time\b|problems?\b|choice\b|idea\b|look\b|
    minute\b|moment\b|car\b|phone\b|signal\b|job\b){o}
\b(?:i'm|we're|i am|we are)\s+not\s+(?:prepared|willing|about|inclined|planning)\s+to\s+{light}{o}
\bthat\s+(?:don't|doesn't|do not|does not)\s+(?:involve|include|require|contain|depend on|rely on)\s+{o}
\b(?:something|somewhere|someone|anything|anywhere)\s+(?:other than|different from|besides)\s+{o}
\b(?:please|can you|could you|i'd like|we'd like|i would like|we would like|i want|we want|give me|show me|find me)\b
    [^.;:!?]{1,60}\bwithout\s+(?!me\b|you\b|us\b|it\b|them\b|\w+ing\b|delay\b|doubt\b){o}
{at}{x}\s+(?:isn't|is not|aren't|are not)\s+(?:something|anything|a thing)\s+(?:that\s+)?(?:i|we)\b
\b(?:say|wave|kiss) goodbye to\s+{o}
\bi\s+(?:hereby\s+)?veto\s+{o}
\b(?:i|we)\s+(?:really\s+|just\s+)?(?:can't|cannot|can not|couldn't)\s+face\s+{light}{o}
\b(?:i'd|i would|we'd|we would)\s+hate to\s+(?:end up with|have|use|take|get|buy|go (?:with|to|for)|stay (?:at|in)|
    see)\s+
    (?!you\b|him\b|her\b|them\b|it\b|that\b){o}
{at}not\s+(?:really\s+|at all\s+)?(?:interested in|keen on|a fan of|in the mood for|going (?:back )?to|paying for|doing|
    buying|having)\s+{light}{o}
{at}(?:any|every)\s+\w+\s+(?:except|but|other than|apart from|besides)\s+(?:for\s+)?{o}
\bminus the\s+{o}
\blet it not be\s+(?:another\s+|a\s+|an\s+)?{o}
{at}no need to\s+(?!{harmless}|shout\b|rush\b|explain\b|say\b|thank\b|reply\b|answer\b|call\b|come\b){light}{o}
"""

_GERMAN = r"""
{at}(?:(?:also|aber|und|nur|ich|wir|bitte|danke|und)\s+)*(?:(?:möchten?|wollen?|will|brauchen?|nehmen?|nehme|mag|mögen|
    esse|essen|kaufen?|kaufe|nutzen?|bitte)\s+)?(?:(?:ich|wir|jetzt|lieber|wirklich|auch|da|hier|doch)\s+)*
    kein(?:e|en|em|er|es)?\s+(?!ahnung|sorge|problem|zweifel|zeit|wunder|mensch|lust mehr|frage|idee|geld)(?:mehr\s+)?
    (?P<bare>){x}(?:\s+(?:verwenden|nehmen|kaufen|haben|benutzen|nutzen|mehr))?{end}
\bauf keinen fall\s+(?:mit\s+)?{x}(?:\s+(?:verwenden|nehmen|benutzen|nutzen|machen|mehr))?{end}
{at}(?:bitte\s+)?(?:lass|lasst|lassen sie)\s+(?:uns\s+)?(?:den|die|das|dem|der)?\s*{x}\s+(?:weg|aus|bleiben|sein)\b
\b(?:hör|hört|hören sie)\s+(?:bitte\s+)?auf,?\s+(?:mir\s+)?{x}\s+(?:zu\s+\w+|vorzuschlagen|anzubieten)
{at}(?:bitte\s+)?(?:vermeide|vermeiden sie|streiche|streich|streichen sie|vergiss|vergessen sie|verzichte auf)\s+
    (?:bitte\s+)?(?:den|die|das)?\s*{o}
{at}(?:bitte\s+)?(?:ohne|nichts mit|bloß nicht|nicht schon wieder|nie wieder|nie mehr)\s+{o}
{at}{x}\s+(?:kommt|kommen|scheidet|scheiden|fällt|fallen)\s+(?:für\s+\w+\s+)?(?:nicht (?:in frage|infrage)|aus|weg|
    flach)\b
{at}{x}\s+(?:lasse|lassen)\s+(?:wir|ich)\s+(?:\w+\s+){0,2}(?:weg|aus|bleiben|sein|raus)\b
{at}{x}\s+(?:will|wollen|möchte|möchten|brauche|brauchen|nehme|nehmen|mag|mögen)\s+(?:ich|wir)\s+(?:\w+\s+){0,2}nicht\b
\b(?:ich|wir)\s+(?:will|wollen|möchte|möchten|brauche|brauchen|nehme|nehmen|mag|mögen)\s+(?:den|die|das|dem)\s+{x}\s+
    (?:lieber\s+|wirklich\s+)?nicht\b
{at}{x}\s+(?:können|sollten|sollen)\s+(?:wir|sie)\s+(?:\w+\s+)?(?:streichen|vergessen|weglassen|ausschließen)\b
{at}(?:den|die|das)\s+{x}\s+(?:streichen|vergessen|verwerfen|kippen|überspringen)\s+wir\b
\bauf\s+(?:den\s+|die\s+|das\s+)?{x}\s+(?:verzichte|verzichten)\b
\b(?:verzichte|verzichten)\s+(?:ich\s+|wir\s+)?(?:lieber\s+)?auf\s+(?:den|die|das)?\s*{o}
\b(?:ich bin|wir sind|bin ich|sind wir)\s+(?:eher\s+|klar\s+)?(?:gegen|dagegen,)\s+(?:den|die|das|einen|eine|ein)?\s*{o}
\b(?:schluss|genug|weg)\s+(?:jetzt\s+)?(?:mit|von)\s+(?:den|die|das|dem|der)?\s*{o}
\b(?:lieber|besser)\s+(?:kein(?:e|en)?|ohne)\s+{o}
"""

_FRENCH = r"""
\b(?:surtout|vraiment|absolument)\s+pas\s+(?:de\s+|d')?(?:la\s+|le\s+|les\s+)?{o}
{at}(?:pas|plus|plus jamais|jamais)\s+(?:de\s+|d')(?!problème|souci|soucis|quoi|chance|mal|doute)(?P<bare>){o}
{at}(?:évite|évitez|oublie|oubliez|exclus|excluez|supprime|supprimez|enlève|enlevez|retire|retirez|laisse tomber|
    laissez tomber|arrête avec|arrêtez avec)\s+(?:le\s+|la\s+|les\s+|l')?{o}
\b(?:je|nous|on)\s+n(?:e\s+|')(?:veux|voulons|veut|souhaite|souhaitons|prends|prenons|prend|mange|aime|veux)\s+
    (?:pas|plus)\s+(?:(?:parler|entendre parler|discuter|utiliser|prendre|acheter)\s+)?(?:de\s+|du\s+|des\s+|d')?
    (?:la\s+|le\s+|les\s+|l')?{o}
{at}(?:arrête|arrêtez)\s+de\s+(?:me\s+|m')?(?:proposer|recommander|parler de|parler du)\s+(?:des\s+|de\s+)?{o}
{at}(?:s'il (?:te|vous) plaît,?\s+)?sans\s+(?!doute|problème|souci){o}
\b(?:pas|plus|hors de)\s+question\s+(?:de\s+|d'|que\s+)(?:prendre\s+|faire\s+)?(?:la\s+|le\s+|les\s+|l'|un\s+|
    une\s+)?{o}
{at}{x}\s*,?\s+(?:c'est|est|sont)\s+(?:hors de question|exclu\w*|non)\b
\b(?:je|nous|on)\s+(?:préfère|préférons)\s+(?:éviter|sans|ne pas \w+)\s+(?:la\s+|le\s+|les\s+|l'|un\s+|une\s+)?{o}
\b(?:je|nous|on)\s+n(?:e\s+|')(?:suis|sommes|est)\s+pas\s+intéressé\w*\s+par\s+(?:la\s+|le\s+|les\s+|l')?{o}
\b(?:renonce|renonçons|laissons tomber|oublions|évitons|abandonnons)\s+(?:à\s+)?(?:la\s+|le\s+|les\s+|l')?{o}
\b(?:on|nous)\s+(?:oublie|oublions|évite|laisse tomber|abandonne|exclut|excluons|supprime)\s+(?:le\s+|la\s+|les\s+|l'|
    un\s+|
    une\s+)?{o}
\b(?:assez|marre)\s+(?:de\s+|d'|des\s+|du\s+)(?:la\s+|le\s+|les\s+|l')?{o}
"""

_SPANISH = r"""
{at}(?:(?:pero|y|por favor),?\s+)?(?:ya\s+)?no\s+(?:quiero|queremos|quisiera|me gusta|nos gusta|necesito|necesitamos|
    uses|use|usen|recomiendes|compres|pongas|vamos a usar|vamos a tomar)\s+(?:más\s+|hablar de\s+|usar\s+)?
    (?:el\s+|la\s+|los\s+|las\s+|un\s+|una\s+)?{o}
{at}(?:nada|no más|basta|nunca más)\s+(?:de|con)\s+(?:nada|esto)?{o}
{at}(?:evita|evite|excluye|excluya|descarta|descarte|olvida|olvide|elimina|elimine|quita|quite)\s+
    (?:la opción (?:de|del)\s+)?(?:el\s+|la\s+|los\s+|las\s+|l)?{o}
{at}(?:deja|deje|dejen)\s+de\s+(?:recomendarme|proponerme|usar|sugerir|sugerirme|recomendar|hablar de)\s+{o}
{at}(?:por favor,?\s+)?(?:cualquier cosa|todo)\s+menos\s+{o}
{at}(?:mejor\s+)?sin\s+(?!duda|problema|embargo|mí|ti)(?P<bare>)(?:el\s+|la\s+|los\s+|las\s+)?{o}
\b(?:prefiero|preferimos)\s+(?:no\s+|evitar\s+|sin\s+)(?:usar\s+|tomar\s+|ir\s+(?:a|en)\s+)?(?:el\s+|la\s+|los\s+|
    las\s+)?{o}
\bno\s+(?:me|nos)\s+interesa[n]?\s+(?:el\s+|la\s+|los\s+|las\s+)?{o}
\b(?:olvidemos|descartemos|evitemos|dejemos(?: de lado)?|eliminemos)\s+(?:el\s+|la\s+|los\s+|las\s+)?{o}
{at}{x}\s+(?:queda|quedan|está|están)\s+(?:descartad\w+|fuera|excluid\w+)\b
\b(?:estoy|estamos)\s+(?:hart\w+ de|en contra de)\s+(?:el\s+|la\s+|los\s+|las\s+)?{o}
\bnada\s+de\s+(?!nada){o}
"""

_CHINESE = r"""
{c_at}{c_not}(?!{c_harmless}){c_verb}{1,3}{c_o}
{c_at}(?:不想|不愿意|不愿|不願|不喜欢|不喜歡|不接受|不考虑|不考慮|不打算|拒绝|拒絕|受不了|放弃|放棄|反对|反對|讨厌再|不再)
    {c_verb}{0,2}{c_o}
{c_at}(?:不用|不需要|用不着|用不著|没必要|沒必要)(?!谢|謝|担心|擔心|客气|客氣|管|急){c_verb}{0,2}{c_o}
{c_at}(?:决定|決定)?(?:排除|避免|避开|避開|去掉|删掉|刪掉|删除|取消|停止|放弃|放棄|拒绝|拒絕|剔除|忽略|跳过|跳過|别管)
    {c_verb}{0,2}{c_o}
(?:^|[，,；;：:\s]){c_option}(?:就|也|都|还是|還是|我看)?(?:{c_not}(?:放|用|加|要|提|考虑|考慮)|不考虑|不考慮|不行|不合适|
    不合適|算了|不要了|不用了|免了|排除|除外|受不了)(?:了|吧)?(?=[，。！,.!；;\s]|$)
[\u4e00-\u9fff]{0,4}不(?:请|請|用|去|买|買|做|要|吃|喝|坐|选|選|办|辦|搞|住)(?!谢|謝|着|著|紧|緊|到|起|了){c_option}了
(?:^|[，,；;：:\s]){c_option}(?:我们|我們|我|咱们)(?:\w)?不了(?=[，。,\s]|$)
(?:^|[，,；;：:\s]){c_option}(?:我们|我們|我|咱们)?(?:就|也|还是|還是|都)?(?:不(?:住|去|要|买|買|吃|用|看|选|選|办|辦|做|参加|坐|喝|玩|养|学)了|
    免谈|不必了|没必要|沒必要|到此为止|就到这里|不能接受|不适合(?:我们?|咱们)?|不在考虑|没有?兴趣)
{c_at}(?:把|将|將){c_option}(?:去掉|删掉|刪掉|删除|划掉|排除|换掉|取消|拿掉|撤掉|剔除)
(?:^|[，。,\s]|我|我们|我們)(?:我们|我們)?对{c_option}(?:没有?|沒有?|不感)(?:什么|任何|啥)?(?:兴趣|興趣)
{c_option}的?(?:话题|話題|事)(?:就)?(?:到此为止|免谈|不谈了|不聊了|到这里)
除了{c_option}(?:以外|之外)?(?:都|其他|别的|別的|其它)
"""

CUES = {
    "en": re.compile(
        r"\b(?:veto|minus|spare|miss|berth|than|turn(?:ed)? down|passed|abandon|shelve|forgo|forego|call off|park|"
        r"dismiss|ban|behind|"
        r"to go|cold|waste|worth|dare|less|hands|hell|goodbye|farewell|thumbs|draw|hold|hate|loathe|detest|dread|lost|"
        r"soured|gone off|sworn off|goodbye|ditched|shelved|axed|vetoed|buried|through|struck|voted|prepared|willing|"
        r"inclined|ignore|disregard|given up|gave up|backed|pulled|walked|moved|opted|no|not|never|nothing|none|"
        r"without|zero|refus\w*|refrain|declin\w*|against|done with|fed up|tired of|"
        r"had it with|enough|except|but|other than|apart from|instead|rather|cannot|dont|avoid|exclud\w*|rul\w+|skip|"
        r"scrap\w*|ditch|omit|eliminat\w*|discard|drop\w*|cancel|forget|rid of|leave|cut|away|clear|stop|quit|cease|"
        r"abandoned|reject\w*|keep|cross|strike|take|kick|throw|weed|remove|delete|lose|kill|nix|axe|bin|dump|put|lay|"
        r"end|close\w*|finish\w*|over|done|out|off|unacceptable|impossible|dealbreaker|dead|history|too|pass|move on|"
        r"moving on|interest|give up)\b|n't\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:schluss|genug|weg|gegen|dagegen|können|soll\w*|lieber|besser|kein\w*|lass\w*|hör\w*|vermeid\w*|"
        r"streich\w*|verg\w+|verzicht\w*|ohne|nichts|nicht|nie|kommt|kommen|"
        r"scheid\w*|fällt|fallen)\b",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:question|exclu\w*|non|préf\w*|renon\w*|évitons|abandonn\w*|assez|marre|pas|plus|jamais|évite\w*|"
        r"oublie\w*|exclu\w*|supprime\w*|enlève\w*|enlevez|retire\w*|laiss\w*|arrête\w*|"
        r"sans)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?:sin|prefer\w*|prefier\w*|evitemos|fuera|hart\w+|contra|no|nada|basta|nunca|evit\w*|exclu\w*|descart\w*|"
        r"olvid\w*|elimin\w*|quit\w*|dej\w*|menos)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"[不别別勿甭莫拒受放反讨没沒排避去删刪取停剔忽跳算免除到把将將对]"),
}
"""Language to what stands in every refusal that its rules know: a sentence without needs no rule."""
FOUND = re.compile(
    r"^(?:(?:known|visible|obvious|apparent|evident|significant|relevant|acute|recent|further|new|other|previous|"
    r"current|"
    r"major|serious|active|open|reported|abnormal|unusual|palpable)\s+)*(?:\w+ness|\w+itis|\w+aches?|\w+algia|pains?|"
    r"fever|chills|swellings?|rash(?:es)?|bleeding|bruis\w+|nausea|vomiting|diarrh?o?ea|cough\w*|itch\w*|discharge|"
    r"symptoms?|signs?|evidence|histor(?:y|ies)|complaints?|findings?|changes?|abnormalit\w+|injur\w+|fractures?|"
    r"wounds?|"
    r"infections?|inflammation|damages?|defects?|leaks?|errors?|warnings?|incidents?|accidents?|deaths?|losses|"
    r"side effects?|progress|improvement|response|problems?|issues?|concerns?|difficult\w+)\b"
    r"|^(?:known|visible|obvious|apparent|evident|significant|palpable)\s+\w+"
    r"|^(?:schwellung\w*|fieber|rötung\w*|schmerz\w*|blutung\w*|übelkeit|erbrechen|husten|ausschlag|beschwerden|"
    r"symptom\w*|anzeichen|hinweis\w*|auffälligkeit\w*|veränderung\w*|verletzung\w*|schäden|fehler|bekannten?)\b"
    r"|^(?:fièvre|douleurs?|gonflement|rougeurs?|saignements?|nausées?|vomissements?|toux|symptômes?|signes?|lésions?|"
    r"antécédents?|changements?|anomalies?)\b"
    r"|^(?:fiebre|dolor(?:es)?|hinchazón|enrojecimiento|sangrado|náuseas?|vómitos?|tos|síntomas?|signos?|lesiones|"
    r"antecedentes|cambios|anomalías)\b",
    re.IGNORECASE,
)
"""What a report finds or does not find: `no swelling` is a note, no refusal. Everyday words, no list of a domain."""
_NAME = re.compile(r"\{([a-z_]+)\}")


@lru_cache(maxsize=1)
def rules() -> Mapping[str, tuple[re.Pattern[str], ...]]:
    """Language to its compiled rules; each has a group `option`, those that stand without a verb a group `bare`."""
    parts = _parts()
    texts = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH, "zh": _CHINESE}
    return {
        language: tuple(re.compile(_filled(rule, parts), re.IGNORECASE) for rule in _joined(text))
        for language, text in texts.items()
    }


def _parts() -> Mapping[str, str]:
    names: dict[str, str] = {}
    for line in _PARTS.strip().splitlines():
        if line.startswith(" "):
            names[next(reversed(names))] += line.strip()
        else:
            names[line] = ""
    return names


def _joined(text: str) -> Iterator[str]:
    """Rules of a table, each on one line."""
    yield from re.sub(r"\n +", "", text.strip()).splitlines()


def _filled(rule: str, parts: Mapping[str, str]) -> str:
    while _NAME.search(rule):
        rule = _NAME.sub(lambda place: parts[place[1]], rule)
    return rule
