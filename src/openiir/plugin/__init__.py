"""All a plug-in author imports: the four methods, the stage, actions and surfaces, and what they need of the core."""

from openiir.core.agents import (
    Action,
    Agent,
    Crowd,
    Embedded,
    EpisodicMemory,
    Lane,
    Memory,
    Remembered,
    memory_span,
)
from openiir.core.asking import Question
from openiir.core.callables import CallableName, CodeName, load_callable, trusting
from openiir.core.errors import InputError, UnusableAnswer
from openiir.core.files import read_text
from openiir.core.llm import picture
from openiir.core.records import Citation, Claim, Edge, Event, Image, Measure, Persona, Record
from openiir.core.seeds import Draw, quantise
from openiir.core.storage import Log
from openiir.core.study_paths import study_path
from openiir.core.sums import int_sum
from openiir.plugin.scenario import Scenario, Step
from openiir.plugin.stage import Said, Stage
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
    "CallableName",
    "Citation",
    "Claim",
    "CodeName",
    "Crowd",
    "Draw",
    "Edge",
    "Embedded",
    "Entry",
    "EpisodicMemory",
    "Event",
    "Graph",
    "Image",
    "InputError",
    "Interview",
    "Lane",
    "Log",
    "Measure",
    "Memory",
    "Persona",
    "Question",
    "Ranked",
    "Ranking",
    "Record",
    "Remembered",
    "Report",
    "Said",
    "Scenario",
    "Section",
    "Series",
    "Stage",
    "Step",
    "Surface",
    "Table",
    "UnusableAnswer",
    "int_sum",
    "load_callable",
    "memory_span",
    "picture",
    "quantise",
    "read_text",
    "study_path",
    "trusting",
]
