"""Cue patterns for dialogue acts, over lower-case clauses with masked mentions.

A mention stands as one private sign and fillers up to its length: `T` matches a title, `V` another value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

FILL = "\uf000"
TITLE_SIGN, VALUE_SIGN = 0xE000, 0xE800
MOST = 0x700
"""Maximum number of mentions of either kind, titles or values, in one utterance."""
T = f"[\ue000-\ue6ff]{FILL}*"
V = f"[\ue800-\ueeff]{FILL}*"

CLAUSES = re.compile(
    r"[.!?]+(?=[\s\"')]|$)|;(?=\s(?![\ue000-\ue6ff]))|\n+|\.{2,}"
    r"|,?\s(?:but|however|although|though)\s|\s(?=(?:what|how) about )|,\s+(?=(?:and |so )?(?:i|i'm"
    r"|i'll|i've|do|can|could|would|have|what|which|who) )"
)
"""Pattern of clause boundaries."""

NOT = (
    r"(?:don'?t|do not|didn'?t|did not|doesn'?t|does not|never|not|isn'?t|wasn'?t|won'?t|wouldn'?t"
    r"|can'?t|haven'?t|hasn'?t|no)"
)
_EACH = {
    "greet": r"^(?:hi+|hello+|hey+|hiya|howdy|greetings|good (?:day|morning|afternoon|evening)|welcome)\b",
    "yes": r"^(?:yes+|yeah?|yep|yup|sure|of course|absolutely|definitely|certainly)\b",
    "no": (
        r"^(?:no+|nope|nah|not really|none)\b(?! idea| strong| more| matter| need| \w*(?:movie|film|book"
        r"|game|item)| [\ue000-\ueeff])"
    ),
    "dont_know": (
        r"\b(?:(?:don'?t|do not) (?:really )?know(?! (?:it|that|this|what))|no idea|(?:i'?m |am )?(?:not"
        r"|un)(?: really)? ?sure|can'?t say|undecided|no preference|no clue)\b"
    ),
    "thanks": r"\b(?:thank(?:s| you| u)|thx|cheers)\b",
    "bye": (
        r"(?:\b(?:(?:good ?)?bye+|see you|see ya|farewell|that(?:'s| is| will be"
        r"|'ll be) all(?: (?:that )?i (?:need|want)ed)?|have a (?:good|nice|great|wonderful|lovely) (?:one"
        r"|day|night|evening|weekend|time)|good ?night|i(?:'m| am) done|like to (?:quit|exit"
        r"|stop)(?: now)?)\b|^/?(?:quit|exit|stop|end)$|\\end\b)"
    ),
    "give_up": (
        r"\b(?:give up|never ?mind|forget it|leads? nowhere|(?:not|isn'?t) working|look elsewhere|stop here"
        r"|waste of time|this is useless)\b|\\giveup\b"
    ),
    "consumed": (
        r"^(?:i )?(?:already |just )?(?:seen|saw|watched|played|read|tried)(?!\w)|\b(?:have|'ve"
        r"|i) (?:already |both |all |also |actually |just )*(?:seen|watched|played|read|tried|saw"
        rf"|own)(?!\w)|\bknow (?:it|that one|this one|that|this|{T})|\balready (?:seen|saw|watched|played"
        r"|read|tried|know)(?!\w)|^i have(?: it)?$"
    ),
    "unconsumed": (
        r"(?:haven'?t|have not|never|didn'?t|not) (?:actually |really |yet |even |ever |yet to )*(?:seen?"
        r"|watch(?:ed)?|play(?:ed)?|read|tr(?:y|ied)|heard?)\b"
    ),
    "accept": (
        r"\b(?:i'?ll|i will|will|(?:i'?m )?(?:going to|gonna)|let'?s|i would|i'd) (?:definitely |probably "
        rf"|also |have to |like to |love to )*(?:take|go (?:with|for)|give (?:it|{T}|that|this|them"
        rf"|one)(?: one)? a (?:try|shot|go|watch)|check|watch (?:it|that|this|{T}|them)|see (?:it|that|this"
        rf"|{T})|read (?:it|that|this|{T})|play (?:it|that|this|{T})|try (?:it|that|this|{T})|rent|add)"
        r"|\bsounds (?:really |very |pretty |quite |like )*(?:good|great|fun|interesting|perfect|awesome"
        r"|cool|nice|fantastic|a good)|\b(?:perfect|exactly|just) what i (?:was looking|wanted|need)"
        rf"|^perfect$|i accept|more my speed|\bgive (?:it|that|{T}) a (?:try|shot)"
    ),
    "neutral": (
        r"\b(?:don'?t|do not) mind(?! which)|indifferent|neutral|neither like nor|no strong|take or leave"
        r"|in two minds|so-so|it(?:'s| is| was) (?:ok|okay|alright|so so)$"
    ),
    "dislike": (
        rf"\b{NOT} (?:\w+ ){{0,2}}?(?:like|love|enjoy|care (?:for|about)|into|(?:a |my )?(?:big |huge )?fan"
        r"|interested|fond|a favou?rite|favou?rites?|keen|want(?:ed)?|my (?:thing|style|taste|cup)|good"
        r"|great|for me)(?!\w)|\b(?:hate|dislike|can'?t stand|sick of|tired of|boring|terrible|awful"
        r"|overrated|stupid|sucks?)(?!\w)|\bno (?:need of |more )?(?:an? )?(?:\w+ )?(?:with|about|by|like"
        r"|named) |^(?:please )?not? (?:more |need of |\w*(?:movies|films) )?(?:an? )?(?:more "
        rf"|any )?(?:{T}|{V}|it$|that$|for me)|\b(?:without|except|anything but|no more|nothing like|avoid"
        rf"|leave out|rather not(?: have)?) (?:any )?(?:more )?(?:{T}|{V}|it\b|that\b)"
    ),
    "critique": (
        r"\b(?:rather(?! not)|instead|should(?:'ve| have)|prefer|asked for|(?:does(?:n'?t| not)) fit|too "
        r"(?:\w+)|(?:something|anything) (?:else|different|other|more|less|newer|older|lighter|funnier"
        r"|similar)|(?:a )?(?:bit |little )?(?:more|less) (?:like|of|\w+y|recent|modern)|what about|how about"
        r"|what else|another (?:one|movie|film|book|game)|different (?:one|movie|film)|not (?:quite|what i)"
        r"|that'?s not it|not it|any(?:thing)? (?:others?|else)|as long as|similar (?:to|one))\b"
    ),
    "want": (
        r"\b(?:(?:looking|searching|hoping|in the mood) for|want(?:ed)?|would (?:like|love)|'d (?:like"
        r"|love)|need|recommend|suggest|(?:feel|feeling) like|find (?:me|a|some)|show me|give me"
        rf"|any (?:good|great|{V}|movies?|films?|suggestions?|recommendations?)|something|anything"
        r"|do you (?:know|have)|what is there|help me|can you (?:find|think))(?!\w)"
    ),
    "wonder": (
        r"\b(?:tell me|(?:to |you )know|(?:wonder|ask)(?:ing)?)(?: please)? (?:who|what|when|where|how"
        r"|whether|if|which|why)\b"
    ),
    "small_talk": r"\b(?:nice to (?:meet|see|hear)|how are you|how's it going)\b",
    "like": (
        r"\b(?:like[ds]?|love[ds]?|enjoy(?:ed|s)?|adore|fan of|fond of|favou?rites?|into|(?:is|was|are|were"
        r"|it'?s|that'?s) (?:\w+ ){0,2}?(?:good|great|awesome|amazing|excellent|fun|funny|hilarious|nice"
        r"|cool|brilliant|best|one of my)|good (?:one|movie|film|choice)|great (?:one|movie|film|choice))\b"
    ),
    "more": (
        r"\b(?:tell me|know|say|hear) (?:\w+ )?(?:more|something)\b|\bmore (?:about|information|info"
        r"|details)\b|\bwhat (?:more )?can you tell\b"
    ),
    "question": (
        r"^(?:and |so |ok |okay |tell me,? |but |then )*(?:who|what|which|when|where|how|why|is|are|was"
        r"|were|does|do you know (?:who|what|when|how|whether|if|which)|did|has)\b|\b(?:tell me|to know"
        r"|know) (?:who|what|when|how|whether|if|which|the)\b"
    ),
}
USER: Mapping[str, re.Pattern[str]] = {name: re.compile(pattern) for name, pattern in _EACH.items()}
"""Patterns of users' clauses, by name."""

_SYSTEM = {
    "greet": _EACH["greet"],
    "bye": (
        r"\b(?:(?:good ?)?bye+|see you(?: soon)?|farewell|have a (?:good|nice|great|wonderful) (?:one|day"
        r"|night|evening|time)|good ?night|you are exiting|enjoy (?:it|the|your)\b|have fun)\b"
    ),
    "nothing": (
        r"\b(?:could ?n'?t|could not|cannot|can ?not|can'?t|did ?n'?t|did not|unable to|(?:don'?t"
        r"|do not) (?:have|know|seem to have)|have not|haven'?t|failed to)(?: (?:find|found|any|think|have"
        rf"|locate|recommend|offer)\b)|\bfound nothing|\bnothing (?:\w+ ){{0,2}}?(?:found|fits?"
        r"|match(?:es)?|like that|left|else)(?!\w)|\b(?:there (?:is|are) (?:no|nothing)|no (?:\w+ "
        rf"|{V} )?(?:items?|movies?|films?|books?|games?|results?) (?:\w+ )?(?:found|fits?|match(?:es)?"
        r"|have|has|left|like)|that was all i (?:have|had)|i am stuck|out of (?:ideas|suggestions"
        r"|recommendations)|nothing (?:more|else)? ?to (?:suggest|recommend|offer))(?!\w)"
    ),
    "offer": (
        r"^(?:and )?i (?:also )?know (?:the|its|who|when|what)\b|\b(?:(?:would|do) you (?:like|want|care"
        r"|wish)(?: me)?|shall i|should i|can i|may i)(?: to)? (?:know|hear|tell|learn|say)\b|\b(?:(?:would"
        r"|do|should|shall|may|can|could)(?: you| i| we) (?:like|want|wish|care"
        r"|tell)(?: me)?(?: to)?(?: (?:know|hear|tell|learn|see|provide|give|get|you|me|to))* ?.*\b(?:more"
        r"|about|details|information|info|summary|who|when|anything)|what (?:else )?(?:would"
        r"|do) you (?:like|want) to know|anything (?:else )?(?:that )?you (?:would like|want) to know"
        r"|ask me (?:about|anything)|(?:i )?can tell you\b.*|want to know)\b"
    ),
    "elicit": (
        r"(?:\b(?:is there|are there|have you got|do you have) (?:an?|any|some) |\byou(?: have"
        r"|'ve)? (?:really )?(?:liked|enjoyed|loved)\b|\b(?:what|which|any) (?:\w+ |\ue800){0,3}?(?:kind"
        r"|type|sort|genres?|movies?|films?|books?|games?|items?|categor\w+|actors?|actress(?:es)?|stars?"
        r"|directors?|writers?|authors?|years?|decades?|periods?|era|keywords?|tags?|themes?|topics?"
        r"|countr\w+|languages?|mood|platforms?|developers?|publishers?)\b|\bwhat (?:are you|do you"
        r"|would you|else do you|can i|should it|should i)\b|\b(?:in mind|looking for|interested in"
        r"|prefer(?:ence|red)?s?|in the mood|feel(?:ing)? like)\b|\btell me\b|\bgive me\b"
        r"|\bdo you (?:\w+ )?(?:like|enjoy|love|want|care|mind|watch|need)\b|\bwould you (?:\w+ )?(?:like"
        r"|enjoy|prefer|want)\b|\bdoes it (?:have to|matter)|\b(?:must|should) it\b|\bare you (?:in|into"
        r"|a fan|looking|after)\b|\bhow about (?:a|an|some)\b|\bwho (?:do you|should|would|is your)\b)"
    ),
    "asks": (
        r"^(?:so |and |ok |okay |well |then |great |sure |alright )*(?:what|which|who|when|how|any"
        r"|please (?:tell|give|name)|tell me|give me|name|do you|would you|are you|should it|must it"
        r"|can you|could you)\b"
    ),
    "states": r":\s*(?:\w+ )?[\ue800-\ueeff]",
    "example": r"^(?:for example|for instance|e\.?g|such as|like)\b",
    "recommend": (
        r"\b(?:good|great|perfect|classic|awesome|amazing|hilarious|funny|best|favou?rite|think (?:of|about)"
        r"|would you like (?:to \w+ )?[\ue000-\ue6ff]+|look at|these|how about|what about|recommend(?:ed"
        r"|ation|ing)?s?|suggest(?:ion)?s?|try|check(?:ing)? (?:out|it)|watch(?:ed|ing)?|see(?:n)?|you "
        r"(?:\w+ )?(?:should|might|may|could|can|will|would|'ll)|named|called|there(?: is|'s)|here (?:is|are)"
        r"|here's|maybe|perhaps|have you|did you|pick(?:s)?|consider|one (?:is|more)|also|i(?:'d)? (?:\w+ "
        r")?(?:like|love|enjoy)(?:ed|d)?|option|my (?:choice|favou?rite))(?!\w)|^\W*\d+\W|do you like:"
    ),
    "bygone": (
        r"(?:(?:similar to|(?<!might )(?<!may )(?<!will )(?<!would )(?<!'ll )(?<!'d )(?<!also )(?<!could "
        r")(?<!i )(?<!do you )(?<!would you )liked?|loved?|enjoyed|based on|because of|fans? of"
        r"|you mentioned|mentioned|than|reminds? me of|rated|since you \w+|because you \w+"
        rf"|as you \w+) (?:the \w+ )?(?:{T})(?:(?:,|,? and|,? or) (?:{T}))*)"
    ),
    "inform": (
        r"\b(?:nothing on|match(?:es)?|fits|is|was|are|were|its?|it's|stars?|starring|directed|written"
        r"|wrote|came out|released|lasts|about|by|has|played|plays?|featur\w+|with|runs|rated)(?!\w)"
        rf"|^\W*(?:\w+: *)?(?:{V})"
    ),
    "told": r"\b(?:it|its|it's) (?:is|was|stars?|\w+ed)\b",
    "unknown": (
        r"\b(?:do not know|don't know|not sure about|have nothing on" r"|no (?:idea|information)|not in my)\b"
    ),
    "dropping": r"\b(?:without|leave|drop|ignore|aside|instead of)\b",
    "acknowledge": (
        r"^(?:(?:i'm |i am )?glad|all right|ok(?:ay)?|great|sure|al?right|noted|got it|i see|thank(?:s"
        r"| you)|you(?:'re| are) welcome|no problem|no worries|enjoy|good|nice|cool|awesome|perfect"
        r"|understood|fine|excellent|glad|sorry|wonderful|of course)\b"
    ),
}
SYSTEM: Mapping[str, re.Pattern[str]] = {name: re.compile(pattern) for name, pattern in _SYSTEM.items()}
"""Patterns of systems' clauses, by name."""


_WORDS: Mapping[str, str] = {
    "genre category genres": r"genres?|kinds?|types?|sorts?|categor(?:y|ies)",
    "actor star cast": (
        r"actors?|actress(?:es)?|cast|stars?|starring|who (?:plays|acts|is in|was in|are in|stars)"
        r"|known actors"
    ),
    "director": r"directors?|directed|who made",
    "author writer": r"authors?|writers?|who wrote|written by|script",
    "developer": r"developers?|developed|studio",
    "publisher": r"publishers?|published",
    "year decade": (
        r"years?|when (?:did|was|were|it)|c[ao]me out|released?|release date|decades?|periods?|eras?"
        r"|how old|newer|older|from when"
    ),
    "keyword tag topic": r"keywords?|tags?|themes?|topics?",
    "plot summary description": (
        r"plots?|story(?:line)?|(?:what|what's|whats|what is|what are) (?:\S+ ){0,4}?about|(?:it|that"
        r"|this|\S*\uf000|[\ue000-\ue6ff]) (?:is )?about|summary|happens|synopsis|premise"
    ),
    "rating": r"ratings?|rated|scores?|reviews?|imdb|rotten tomatoes",
    "duration runtime length": r"duration|how long|minutes|runtime|running time|lasts|length|runs for",
    "country": r"countr(?:y|ies)|(?:made|set|filmed) in|where (?:was|is) it",
    "language": r"languages?|subtitles?|dubbed",
    "price": r"price|cost(?:s|ing)?|how much|expensive|cheap",
    "platform": r"platforms?|consoles?",
    "title name": (
        r"titles?|what (?:is|was) (?:it|\S+) called|(?:what|which|any|some|favou?rite) (?:\w+ )?(?:movies"
        r"|films|books|games)|name (?:one|some|a few)|one (?:have you|(?:that )?you(?: have)?) (?:liked"
        r"|enjoyed|loved)|name of|(?:favou?rite|last) (?:movie|film|book|game)"
    ),
}
"""Names of each slot in catalogues, openiir's first, to a pattern of the words that refer to it."""


class SlotLexicon:
    """Lexicon of the words that refer to the slots of one catalogue."""

    def __init__(self, attributes: Iterable[str], details: Sequence[str]) -> None:
        names = (*attributes, "title", *details)
        by_key = {name.lower().rstrip("s"): name for name in reversed(names)}
        self._own: dict[str, str] = {}
        """openiir's slot names, and those of groups for other slots, to the catalogue's."""
        groups: list[str] = []
        for called, pattern in _WORDS.items():
            key = called.split()[0]
            if own := next((by_key[name] for name in called.split() if name in by_key), None):
                self._own[key] = own
                # The plot comes first, since its words are parts of longer questions.
                groups.insert(0 if key == "plot" else len(groups), f"(?P<{key}>{pattern})")
        plain = {f"x{n}": name for n, name in enumerate(n for n in names if n not in self._own.values())}
        groups[:0] = [f"(?P<{x}>{re.escape(name.replace('_', ' ').lower())}s?)" for x, name in plain.items()]
        self._own |= plain
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(groups)})(?!\w)")
        self.title = self._own["title"]

    def find(self, clause: str) -> list[str]:
        """List the slots that a clause refers to, in order, without duplicates."""
        found = dict.fromkeys(match.lastgroup for match in self._pattern.finditer(clause))
        return [self._own[name] for name in found if name is not None]
