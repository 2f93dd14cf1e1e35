"""Word splitting: for matching (stems without stop words), for counting (all words), for content words."""

import re
import unicodedata

from openiir.core.retrieval.stem import stem

# A number with its decimals, an ideograph or kana by itself, or a run of letters and digits with the
# apostrophes inside it. Hyphens part words.
_WORD = re.compile(
    r"\d+(?:[.,]\d+)+|[\u3040-\u30ff\u3400-\u9fff]|(?:(?![\u3040-\u30ff\u3400-\u9fff_])\w)+(?:['’][^\W\d_]+)*"
)

_FUNCTION_WORDS = """
    a about above after again against all also although am among an and any are aren't as at be became because
    become been before being below between both but by can can't cannot could couldn't did didn't do does
    doesn't doing don't done down during each either else ever every few for from further had hadn't has
    hasn't have haven't having he he'd he'll he's hence her here here's hers herself him himself his how
    however i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just let's may me might more
    most much must my myself neither no nor not now of off often on once one only onto or other others
    otherwise our ours ourselves out over own per perhaps quite rather s same shall shan't she she'd she'll
    she's should shouldn't since so some such t than that that's the their theirs them themselves then there
    there's therefore these they they'd they'll they're they've this those though through thus to together too
    toward towards under until up upon us very via was wasn't we we'd we'll we're we've were weren't what
    what's when where whereas whether which while who who's whom whose why will with within without won't
    would wouldn't yet you you'd you'll you're you've your yours yourself yourselves
"""

STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words, including negations, since lexical matching is about topics."""


def words(text: str) -> list[str]:
    """Split a text into words, unchanged, for counting; a number with decimals is one word."""
    return _WORD.findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """List the character spans of the words that `words` returns."""
    return [found.span() for found in _WORD.finditer(text)]


def content_words(text: str) -> list[str]:
    """List the lower-cased content words of a text: no stop words, no single letters; digits stay."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return [
        word
        for word in _WORD.findall(plain)
        if word not in STOP_WORDS and (len(word) > 1 or word.isdigit() or not word.isascii())
    ]


def tokens(text: str) -> list[str]:
    """List a text's terms for lexical matching: content words without possessive, stemmed (Porter 1980)."""
    return [stem(word.removesuffix("'s")) for word in content_words(text)]
