"""Questions to a judge: grade a dialogue in one aspect or in several, from 1 to 5."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeVar

from pydantic import Field

from openiir.kit.prompting import bullet_lines, check_numbers, join_words, number_lines
from openiir.kit.text_tables import read_text_table
from openiir.plugin import Draw, Question, Record, Source
from openiir.scenarios.conversational.model.generation.phrases import slot_words, trait
from openiir.scenarios.conversational.model.grading.heuristic_judge import grade
from openiir.scenarios.conversational.model.grading.judged_dialogue import Aspect, JudgedDialogue, JudgedItem
from openiir.scenarios.conversational.questions.understand import SPEAKERS

Seen = Annotated[
    str,
    Field(
        max_length=600,
        description="what speaks for the grade, in one or two sentences, with the numbers of the turns",
    ),
]
Five = Annotated[int, Field(ge=1, le=5, description="1 to 5, as told above; the one whose words fit best")]


class DialogueGrade(Record):
    """The judge's grade of one aspect."""

    what_you_see: Seen
    grade: Five


class GradeOfSeveral(Record):
    """The judge's grade of one of several aspects asked for together."""

    number: int = Field(ge=1, le=5, description="of the question")
    what_you_see: Seen
    grade: Five


class DialogueGrades(Record):
    """The judge's grades of several aspects, in the order asked."""

    grades: tuple[GradeOfSeveral, ...] = Field(min_length=1, max_length=5)


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class _DialogueGrading(Question[R]):
    """Question to a judge about a finished dialogue and the rubrics of some aspects."""

    wanted: str
    """Sentence about the user's need."""
    turns: tuple[tuple[str, str], ...]
    """(speaker name, text) of each turn, in order."""
    offers: tuple[str, ...]
    """Recommended titles, each with its turn and what is known of it."""
    end: str
    """Sentence about how the dialogue ended."""
    person: str
    """Sentence about the user, if a grade depends on it; else empty."""
    rubrics: tuple[str, ...]
    """Each aspect's question with the meaning of its grades."""
    talk: Annotated[JudgedDialogue, Source("fitted")]
    """The dialogue with understood acts and the utility of each offer."""
    aspects: Annotated[tuple[Aspect, ...], Source("drawn")]
    """Aspects in the order asked."""

    def system(self) -> str:
        return (
            "You grade services that recommend things to watch, read or play, by dialogues that people had "
            "with them."
        )

    def prompt(self) -> str:
        turns = "\n".join(f"{number} {who}: {text}" for number, (who, text) in enumerate(self.turns, 1))
        offers = "The service offered nothing that is known."
        if self.offers:
            offers = f"What the service offered:\n{bullet_lines(self.offers)}"
        person = f"{self.person} " if self.person else ""
        return f"""{self.wanted}

{turns}

{self.end}
{offers}

{person}{self._task()}

Long or polite answers earn nothing."""

    @abstractmethod
    def _task(self) -> str:
        """Say what to grade, by the rubrics."""

    def _grades(self) -> list[DialogueGrade]:
        """Grade each aspect by `heuristic_judge.grade`, rounded, halves up."""
        found = []
        for exact, why in (grade(self.talk, aspect) for aspect in self.aspects):
            seen = f"{why} ({exact:.2f})"[:600]
            found.append(DialogueGrade(what_you_see=seen, grade=math.floor(exact + 0.5)))
        return found


@dataclass(frozen=True)
class DialogueJudge(_DialogueGrading[DialogueGrade]):
    """Question to a judge: grade one aspect of a dialogue."""

    kind: ClassVar[str] = "conversational.judge"
    example: ClassVar[Record] = DialogueGrade(
        what_you_see="The window does not shut, and the street is loud at night (notes 2 and 6).", grade=2
    )

    @property
    def subject(self) -> str:
        return self.aspects[0]

    def _task(self) -> str:
        return f"Grade one thing only: {self.rubrics[0]}"

    def offline(self, draw: Draw) -> DialogueGrade:
        """Grade by the heuristic judge."""
        return self._grades()[0]

    def by_aspect(self, reply: DialogueGrade) -> dict[Aspect, DialogueGrade]:
        """Return the grade as {aspect: grade}."""
        return {self.aspects[0]: reply}


@dataclass(frozen=True)
class DialogueJudgeTogether(_DialogueGrading[DialogueGrades]):
    """Question to a judge: grade several aspects of a dialogue, in random order."""

    kind: ClassVar[str] = "conversational.judge-together"
    answered_with: ClassVar[str] = DialogueJudge.kind
    example: ClassVar[Record] = DialogueGrades(
        grades=(
            GradeOfSeveral(number=1, **DialogueJudge.example.model_dump()),
            GradeOfSeveral(
                number=2, what_you_see="The bread was warm every morning (notes 1 and 4).", grade=5
            ),
        )
    )

    def _task(self) -> str:
        several = number_lines([f"{rubric}\n" for rubric in self.rubrics]).rstrip()
        return (
            f"Grade each of these by itself: a dialogue may be good in one and bad in another.\n\n{several}"
        )

    def allowed(self) -> Mapping[str, Sequence[int]]:
        return {"GradeOfSeveral.number": range(1, len(self.rubrics) + 1)}

    def lengths(self) -> Mapping[str, int]:
        return {"grades": len(self.rubrics)}

    def check(self, reply: DialogueGrades) -> None:
        check_numbers([one.number for one in reply.grades], len(self.rubrics), "grade")

    def offline(self, draw: Draw) -> DialogueGrades:
        """Grade by the heuristic judge, each aspect as if asked alone."""
        grades = enumerate(self._grades(), 1)
        return DialogueGrades(
            grades=tuple(GradeOfSeveral(number=number, **dict(one)) for number, one in grades)
        )

    def by_aspect(self, reply: DialogueGrades) -> dict[Aspect, GradeOfSeveral]:
        """Return the grades as {aspect: grade}."""
        return {self.aspects[one.number - 1]: one for one in reply.grades}


def judge_question(
    talk: JudgedDialogue, *aspects: Aspect, worst_first: bool = False
) -> DialogueJudge | DialogueJudgeTogether:
    """Build the judge's question about one aspect of a dialogue, or about several in this order.

    `worst_first` tells the grades from 1 to 5 instead of from 5 to 1.
    """
    return (DialogueJudge if len(aspects) == 1 else DialogueJudgeTogether)(
        wanted=_describe_need(talk),
        turns=tuple((SPEAKERS[turn.speaker], turn.text) for turn in talk.turns),
        offers=tuple(map(_describe_offer, talk.shown)),
        end=f"The person took {talk.taken}." if talk.taken else _ENDS.get(talk.end, _UNKNOWN),
        person=talk.person if "satisfaction" in aspects else "",
        rubrics=tuple(_rubric(aspect, worst_first) for aspect in aspects),
        talk=talk,
        aspects=aspects,
    )


def _rubric(aspect: Aspect, worst_first: bool) -> str:
    asked, *grades = RUBRICS[aspect]
    told = [f"{n} {words}" for n, words in zip((5, 4, 3, 2, 1), grades, strict=True)]
    return "\n".join([asked, *(reversed(told) if worst_first else told)])


_ENDS = {
    "satisfied": "The person took something that it offered.",
    "gave-up": "The person gave up and left.",
    "turn-limit": "It was cut off, before the person took anything.",
    "system-ended": "The service ended it, before the person took anything.",
}
_UNKNOWN = "Nobody knows how content the person left."


def _describe_need(talk: JudgedDialogue) -> str:
    if talk.need is None:
        return "Nobody wrote down what the person wanted: go by what is said."
    wants = "; ".join(trait(slot, value) for slot, value in talk.need.constraints) or "anything"
    requests = join_words([slot_words(slot) for slot in talk.need.requests])
    asks = f" The person wanted to be told its {requests}." if requests else ""
    return (
        f"What the person had in mind, said or unsaid, the most important first: {wants}. Anything else "
        f"they say they like is no condition.{asks}"
    )


def _describe_offer(one: JudgedItem) -> str:
    seen = {None: "", True: " The person had had it before.", False: " The person had not had it before."}
    values: dict[str, list[str]] = {}
    for slot, value in one.facts:
        values.setdefault(slot, []).append(value)
    about = "; ".join(trait(slot, join_words(of)) for slot, of in values.items()) or "nothing is known of it"
    return f"{one.title} (turn {one.turn}): {about}.{seen[one.seen]}"


RUBRICS = read_text_table("""
relevance | do the titles that the service offered suit what the person had in mind? |
    all of them do. For example: one title offered, and it has all of it. |
    most do; one or two miss something, or were had before. | about as many do as do not. |
    hardly any does. For example: of five titles one has half of it, the others nothing. |
    none does, or none was offered. For example: three crime films to somebody who wanted animation.
style | can one take in each of the service's turns at once? |
    each turn, at first reading. For example: "The Aurora has a double room for tonight." |
    all but one or two, which are vague or too long. |
    a good part needs a second reading, or is a list of keywords. |
    most need a second reading. For example: six titles in one turn, each with all that is known of it. |
    one cannot tell what is meant.
fluency | do the service's turns read as if a person had written them? | yes, throughout. |
    yes, but for a stiff phrase or two. |
    stiff or faulty in several places. For example: "There is existing one room, of price low." |
    stiff or faulty almost everywhere. | broken language, or one phrase over and over.
flow | apart from a greeting at the start, does each of the service's turns follow from what was said
        before? | all do, and nothing has to be said twice. | all but one. |
    several ignore what was just said, or ask again. For example: it asks for the genre that it was told a
        turn ago. | most ignore what the person has just said. |
    its turns have nothing to do with what the person says.
satisfaction | how content would this person be to have asked? |
    would gladly come back. For example: took something that has all that was wanted, after a few short
        turns. | content, with something small to complain of. |
    neither content nor annoyed. For example: took something that will do, after many turns. |
    rather annoyed. For example: left with nothing, though the service took note of what was wanted. |
    would never use it again. For example: left after being offered the wrong thing again and again.
""")
"""Question and meaning of grades 5 to 1 for each aspect."""
