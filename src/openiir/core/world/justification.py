"""Rules for whether a web search is justified, checked before anything is sent or charged."""

import re
from collections.abc import Collection

from openiir.core.retrieval.tokens import content_words

MINIMUM = 8
"""Least number of different content words in a justification."""
NAMED = 3
"""Least number of different content words that say what is missing, besides the phrase that something is."""

_MISSING = re.compile(
    r"""\b(?:
      missing | lack(?:s|ing|ed)? | absent | absence\ of | unknown | unanswered | unclear | unsupported
    | unverified | uncertain | undocumented | insufficient | inadequate | outdated | gaps?
    | open\ (?:question|point)
    | no\ (?:evidence|sources?|figures?|data|passages?|information|mention|records?|answers?|numbers?|details?
        |stud(?:y|ies)|chunks?|documents?|articles?|estimates?)
    | nothing\ (?:on|about|in|says|here|local) | (?:not|never)\ (?:been\ )?(?:covered|mentioned|stated|given
        |found|answered|addressed|known|reported|described|available|included|present|contain(?:ed)?|sufficient)
    | (?:do|does|did)(?:\ not|n't)\ (?:say|mention|state|cover|answer|give|contain|tell|show|address|include
        |report|explain|name|know)
    | (?:cannot|can't|could\ not|couldn't)\ (?:be\ )?(?:find|found|tell|told|confirm(?:ed)?|verif(?:y|ied)
        |settled?|answer(?:ed)?|check(?:ed)?)
    | (?:need(?:s|ed)?|want(?:s|ed)?|would\ like|in\ order|so\ as|helps?)\ to\ (?:know|find\ out|learn|check
        |verify|confirm|establish|settle|determine|clarify|quantify)
    | (?:know|find\ out|learn|check|verify|confirm|establish|settle|determine|clarify|see)\ (?:whether|if|how
        |what|which|who|when|where|why)
    | need(?:s|ed)?\ (?:[\w-]+\ ){0,2}(?:evidence|data|figures|numbers|sources|statistics|measurements
        |estimates)
    | only\ (?:cover|discuss|mention|address|contain|describe|give|report|include|speak|deal)s?
    | (?:too|more|most)\ (?:old|recent)|up-to-date | remains\ to\ be | silent\ (?:on|about)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_EMPTY_NAMES = """
    answer answers argument article articles available chunk chunks claim claims collection content corpus
    covered data debate detail details discussion document documents evidence fact facts figure figures find
    found given help helpful here important information insufficient internet issue know lacking local lookup
    matter mentioned missing need needed online panel passage passages point question questions relevant
    research search something anything source sources sufficient text texts thing things topic unknown useful
    want web world
"""
_SAYS_NOTHING = frozenset(_EMPTY_NAMES.split())


def search_refusal(query: str, justification: str, known_claims: Collection[str] = ()) -> str | None:
    """Return why a web search is refused, or None if it is justified. The rules, in order:

    1. The query holds a content word (words that are no stop words).
    2. The justification is not blank.
    3. It holds at least `MINIMUM` (8) different content words.
    4. It names a missing fact: either it holds the id of a claim in `known_claims` as a word of its own, or
       it says that something is missing (`missing`, `no figures`, `does not say`, `need to know`, ...) and
       what: at least `NAMED` (3) different content words beside that phrase, not counting words such as
       `information`, `question` or `corpus` that would fit any search.
    """
    if not content_words(query):
        return "the query is empty; say what to look for"
    if not justification.strip():
        return (
            "there is no justification; say which fact is missing, why the world lacks it, and what it would "
            "change"
        )
    words = set(content_words(justification))
    if len(words) < MINIMUM:
        has = f"{len(words)} different content words of at least {MINIMUM}"
        return f"the justification has {has}; say what is missing"
    if set(re.findall(r"[\w-]+", justification)) & set(known_claims):
        return None
    if not _MISSING.search(justification):
        return "the justification names no missing fact: neither a claim of this run nor what is not known"
    naming = set(content_words(_MISSING.sub(" ", justification))) - _SAYS_NOTHING
    if len(naming) < NAMED:
        return "the justification says that something is missing, but not what"
    return None
