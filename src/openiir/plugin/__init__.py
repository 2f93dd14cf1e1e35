"""Everything a plug-in author imports: scenario, stage, questions, actions, surfaces, draws, records."""

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
from openiir.core.files import read_text
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
    "Persona",
    "Price",
    "Question",
    "Ranked",
    "Ranking",
    "Record",
    "MemoryRecord",
    "Report",
    "STANCES",
    "ClaimSource",
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
    "texts_in_order",
    "picture",
    "quantise",
    "read_text",
    "stance_number",
    "stance_word",
    "study_path",
    "trusting",
]
