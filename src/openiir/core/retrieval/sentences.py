"""Rule-based sentence splitting, for paragraphs, lists and running text."""

import re
from collections.abc import Iterator

# A blank line ends a paragraph; a line that opens a list item, a heading or a quotation opens a paragraph.
_PARAGRAPH = re.compile(
    r"\n[^\S\n]*(?:\n\s*)+|\n(?=[^\S\n]*(?:[-*+•·‣◦]\s|\(?\d{1,2}[.)]\s|[a-z]\)\s|#{1,6}\s|>\s))"
)
_HEADING = re.compile(r"\s*#{1,6}[^\S\n][^\n]*")
_MARKER = re.compile(r"\s*(?:[-*+•·‣◦]\s+|#{1,6}\s+|>\s+)*(?:\(?(?:\d{1,3}|[a-z])[.)]\s+)?")
_REFERENCE = r"(?:[^\S\n]?\[(?:REF|\d{1,3}|[a-z]|note \d+|citation needed)\])*"
_END = re.compile(rf"(?:[.!?…]+[\"'”’»)\]]*{_REFERENCE}|[。！？]+[」』”’）]*)")

# Never the end of a sentence: a name, a number or an explanation follows.
_LEAD = """
    mr mrs ms dr prof st mt gen col lt sgt capt cmdr adm maj rev hon gov sen rep pres fr messrs mme vs v cf
    e.g i.e eg ie viz approx ca c fig figs eq eqs sect ch chap vol vols nr pp p ed eds trans ref refs op cit
    resp ibid incl excl est dept univ
"""
# An abbreviation only where a number follows.
_NUMBERED = "no nos art para tab app sec"
# May end a sentence: it does when what follows opens one.
_TRAIL = """
    inc ltd co corp bros llc plc jr sr etc esq al ph.d jan feb apr jun jul aug sep sept oct nov dec tue tues
    thu thur thurs fri blvd rd ft oz lb lbs km kg cm mm hr hrs
"""
_OPENING_WORDS = """
    the a an this that these those it its he she they we i you his her their our my your there here in on at
    by for from with to of as if when while where what who why how which after before since because although
    though however but and or nor so yet thus then also both each every all some many most several few one two
    three no not only such other another more moreover furthermore nevertheless therefore meanwhile instead
    despite during until under over between among according given today let is are was were do does did can
    could should would will may might has have had
"""
_LEADS, _NUMBERS, _TRAILS, _OPENERS = (
    frozenset(group.split()) for group in (_LEAD, _NUMBERED, _TRAIL, _OPENING_WORDS)
)
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_LAST_WORD = re.compile(r"[^\s\"'“”‘’«»()\[\]]+$")
_FIRST_WORD = re.compile(r"[\"'“‘«(\[]*([^\W\d_]+(?:['’][^\W\d_]+)?)")
_GLUED_END = re.compile(r"(?:[^\W\d_A-Z]{2}|[\])”»])$")
_ADDRESS = re.compile(r"://|@|\bwww\.", re.IGNORECASE)
_WORDY = re.compile(r"\w")
_NEAR = 60


def sentences(text: str) -> list[tuple[int, int]]:
    """Find the character spans of sentences, in order, without surrounding white space.

    Spans do not overlap and leave out nothing but white space. A blank line, a list item and a heading end
    a sentence; a single line break does not. Reference marks and stray marks after the full stop belong to
    the sentence.
    """
    spans: list[tuple[int, int]] = []
    for start, end in paragraphs(text):
        first = len(spans)
        for span in _in_paragraph(text, start, end):
            if len(spans) > first and not _WORDY.search(text, *span):
                spans[-1] = (spans[-1][0], span[1])
            else:
                spans.append(span)
    return spans


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Find the character spans of paragraphs, list items and headings, without surrounding white space."""
    spans: list[tuple[int, int]] = []
    start = 0
    for border in (*_PARAGRAPH.finditer(text), None):
        end = border.start() if border else len(text)
        heading = _HEADING.match(text, start, end)
        if heading:
            spans.extend(_trim(text, start, heading.end()))
            start = heading.end()
        spans.extend(_trim(text, start, end))
        start = border.end() if border else end
    return spans


def _in_paragraph(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    marker = _MARKER.match(text, start, end)
    begin, at = start, marker.end() if marker else start
    while found := _END.search(text, at, end):
        at = found.end()
        if at >= end or _is_border(text, begin, found):
            yield from _trim(text, begin, at)
            begin = at
    yield from _trim(text, begin, end)


def _trim(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if right > left:
        yield start + left, start + right


def _is_border(text: str, begin: int, found: re.Match[str]) -> bool:
    mark = found.group()
    before = text[max(begin, found.start() - _NEAR) : found.start()]
    following = text[found.end() : found.end() + _NEAR]
    if mark[0] in "。！？":
        return True
    if not following[0].isspace():
        return _is_glued_border(before, mark, following)
    following = following.lstrip()
    if following[:1].islower():
        return False
    word = _LAST_WORD.search(before)
    if word and mark.startswith(".") and not mark.startswith(".."):
        return _full_stop_ends(word.group(), following)
    return True


def _full_stop_ends(word: str, following: str) -> bool:
    """Whether a full stop after `word` ends a sentence, given the following text."""
    opening = _FIRST_WORD.match(following)
    opens = opening is not None and opening.group(1).lower() in _OPENERS
    lowered = word.lower()
    initial = len(word) == 1 and word.isupper()
    if initial or lowered in _TRAILS or _DOTTED.fullmatch(word):
        return opens and lowered not in _LEADS - {"c", "v", "p"}
    if lowered in _NUMBERS:
        return not following[0].isdigit()
    return lowered not in _LEADS


def _is_glued_border(before: str, mark: str, following: str) -> bool:
    """Whether a punctuation mark without a following blank ends a sentence, as in `the end.The next`."""
    around = before.split()[-1:] + [mark] + following.split()[:1]
    capitalised = following[0].isupper() and (following[1:2].islower() or following[1:2].isspace())
    return capitalised and not _ADDRESS.search("".join(around)) and bool(_GLUED_END.search(before))
