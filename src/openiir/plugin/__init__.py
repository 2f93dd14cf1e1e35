"""All that a plug-in author imports: scenario, stage, questions, actions, surfaces, draws, records."""

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
    MemoryPool,
    MemoryRecord,
    Population,
    texts_in_order,
)
from openiir.core.asking import (
    Columns,
    Count,
    CrowdQuestion,
    Id,
    Price,
    Question,
    Source,
    Stars,
    Year,
)
from openiir.core.callables import CallableName, CodeName, check_trusted, load_callable, trusting
from openiir.core.clock import hour_of_day, time_text
from openiir.core.errors import InputError, OpeniirError, OwnCodeFailed, UnknownName, UnusableAnswer
from openiir.core.files import parse_json, read_json, read_text
from openiir.core.grid import first_largest, first_smallest, order_by, quantise, round_floats
from openiir.core.llm import picture
from openiir.core.records import (
    Chunk,
    Citation,
    Claim,
    ConfigTable,
    Edge,
    Event,
    Image,
    Measure,
    Persona,
    Record,
)
from openiir.core.records.measure import ratio, undefined_measure
from openiir.core.seeds import Draw, happens
from openiir.core.stances import STANCES, Stance, stance_number, stance_word
from openiir.core.storage import Log, Members
from openiir.core.study_paths import study_path
from openiir.core.sums import int_sum
from openiir.core.systems.own_code import call_own, time_own_code
from openiir.plugin.answer_notes import AnswerNote, AnswerNotes, names_with_answerers
from openiir.plugin.arms import Arm, Arms, CastArm, Own, Twins
from openiir.plugin.forms import (
    Bins,
    Card,
    Cards,
    CellValue,
    Column,
    Distribution,
    Entry,
    Form,
    Mark,
    Matrix,
    Ranked,
    Ranking,
    Report,
    Section,
    Series,
    Table,
    half_width,
    interval_ends,
)
from openiir.plugin.graph_forms import (
    Cite,
    Graph,
    LinkKind,
    Network,
    NetworkLink,
    NetworkNode,
    Ref,
    Tree,
    TreeNode,
)
from openiir.plugin.member_events import DepartureEvent, PromotionEvent
from openiir.plugin.scenario import Control, Scenario, Step
from openiir.plugin.stage import ClaimSource, Stage
from openiir.plugin.surface import FORM_RECORDS, Interview, Surface, SurfaceView

__all__ = [
    "Action",
    "Agent",
    "AnswerNote",
    "AnswerNotes",
    "Arm",
    "Arms",
    "Bins",
    "CallableName",
    "Card",
    "Cards",
    "CastArm",
    "CellValue",
    "Chunk",
    "Citation",
    "Cite",
    "Claim",
    "ClaimSource",
    "CodeName",
    "Column",
    "Columns",
    "ConfigTable",
    "Control",
    "Count",
    "Crowd",
    "CrowdQuestion",
    "DepartureEvent",
    "Distribution",
    "Draw",
    "Edge",
    "EmbeddingLookup",
    "Entry",
    "EpisodicMemory",
    "Event",
    "FORM_RECORDS",
    "Form",
    "Graph",
    "Id",
    "Image",
    "InputError",
    "Interview",
    "Lane",
    "LinkKind",
    "Log",
    "Mark",
    "Matrix",
    "Measure",
    "Members",
    "Memory",
    "MemoryPolicy",
    "MemoryPool",
    "MemoryRecord",
    "Network",
    "NetworkLink",
    "NetworkNode",
    "OpeniirError",
    "Own",
    "OwnCodeFailed",
    "Persona",
    "Population",
    "Price",
    "PromotionEvent",
    "Question",
    "Ranked",
    "Ranking",
    "Record",
    "Ref",
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
    "SurfaceView",
    "Table",
    "Tree",
    "TreeNode",
    "Twins",
    "UnknownName",
    "UnusableAnswer",
    "Year",
    "call_own",
    "check_trusted",
    "first_largest",
    "first_smallest",
    "half_width",
    "happens",
    "hour_of_day",
    "int_sum",
    "interval_ends",
    "load_callable",
    "names_with_answerers",
    "order_by",
    "parse_json",
    "picture",
    "quantise",
    "ratio",
    "read_json",
    "read_text",
    "round_floats",
    "stance_number",
    "stance_word",
    "study_path",
    "texts_in_order",
    "time_own_code",
    "time_text",
    "trusting",
    "undefined_measure",
]

RENAMED = {
    "Embedded": "EmbeddingLookup",
    "Remembered": "MemoryRecord",
    "Said": "ClaimSource",
    "order_lived": "texts_in_order",
}
"""Old names that remain available for one more release, mapped to the new names."""


def __getattr__(name: str) -> object:
    if name == "Facts":
        raise ImportError(
            "openiir.plugin.Facts was asked for, and a question is one class now: move its fields and "
            "methods into the question, and mark dispositions with a Source (docs/how-to/write-a-type.md)"
        )
    if name not in RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"openiir.plugin.{name} is now {RENAMED[name]}", DeprecationWarning, stacklevel=2)
    return globals()[RENAMED[name]]
