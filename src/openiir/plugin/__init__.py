"""Everything a plug-in author imports: scenario, stage, questions, actions, surfaces, draws, records."""

import warnings

from openiir.core.agents import (
    Action,
    Agent,
    Crowd,
    EmbeddingLookup,
    EpisodicMemory,
    Lane,
    Memory,
    MemoryPolicy,
    MemoryRecord,
    texts_in_order,
)
from openiir.core.asking import Count, Facts, Id, Price, Question, Source, Stars, Year
from openiir.core.callables import CallableName, CodeName, load_callable, trusting
from openiir.core.errors import InputError, UnusableAnswer
from openiir.core.files import parse_json, read_json, read_text
from openiir.core.llm import picture
from openiir.core.records import Citation, Claim, Edge, Event, Image, Measure, Persona, Record
from openiir.core.seeds import Draw, quantise
from openiir.core.stances import STANCES, Stance, stance_number, stance_word
from openiir.core.storage import Log
from openiir.core.study_paths import study_path
from openiir.core.sums import int_sum
from openiir.plugin.answer_notes import AnswerNote, AnswerNotes, names_with_answerers
from openiir.plugin.scenario import Scenario, Step
from openiir.plugin.stage import ClaimSource, Stage
from openiir.plugin.surface import (
    Entry,
    Graph,
    Interview,
    Ranked,
    Ranking,
    Report,
    Section,
    Series,
    Surface,
    Table,
)

__all__ = [
    "Action",
    "Agent",
    "AnswerNote",
    "AnswerNotes",
    "CallableName",
    "Citation",
    "Claim",
    "ClaimSource",
    "CodeName",
    "Count",
    "Crowd",
    "Draw",
    "Edge",
    "EmbeddingLookup",
    "Entry",
    "EpisodicMemory",
    "Event",
    "Facts",
    "Graph",
    "Id",
    "Image",
    "InputError",
    "Interview",
    "Lane",
    "Log",
    "Measure",
    "Memory",
    "MemoryPolicy",
    "MemoryRecord",
    "Persona",
    "Price",
    "Question",
    "Ranked",
    "Ranking",
    "Record",
    "Report",
    "STANCES",
    "Scenario",
    "Section",
    "Series",
    "Source",
    "Stage",
    "Stance",
    "Stars",
    "Step",
    "Surface",
    "Table",
    "UnusableAnswer",
    "Year",
    "int_sum",
    "load_callable",
    "names_with_answerers",
    "parse_json",
    "picture",
    "quantise",
    "read_json",
    "read_text",
    "stance_number",
    "stance_word",
    "study_path",
    "texts_in_order",
    "trusting",
]

RENAMED = {
    "Embedded": "EmbeddingLookup",
    "Remembered": "MemoryRecord",
    "Said": "ClaimSource",
    "order_lived": "texts_in_order",
}
"""Names of the release before, kept for one more release."""


def __getattr__(name: str) -> object:
    if name not in RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"openiir.plugin.{name} is now {RENAMED[name]}", DeprecationWarning, stacklevel=2)
    return globals()[RENAMED[name]]
