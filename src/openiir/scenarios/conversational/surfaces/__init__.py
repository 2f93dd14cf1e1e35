"""Views of a study of dialogues: scores beside failures, comparisons, and dialogues to read."""

from openiir.plugin import Interview, Surface
from openiir.scenarios.conversational.surfaces import series, tables
from openiir.scenarios.conversational.surfaces.dialogue_view import dialogue
from openiir.scenarios.conversational.surfaces.interviewing import INTERVIEW

SURFACES: tuple[Surface | Interview, ...] = (
    Surface("results", "table", "Each simulator with each system, failures beside scores", tables.results),
    Surface("ends", "table", "Why dialogues ended", tables.ends),
    Surface("progress", "series", "Success by turn", series.progress),
    Surface("recall", "series", "Targets shown by turn", series.recall),
    Surface("comparison", "table", "Pairs of systems on the same needs", tables.comparison),
    Surface(
        "agreement",
        "table",
        "Whether simulators put the systems into one order",
        tables.agreement_by_simulator,
    ),
    Surface("groups", "table", "Parts of the population", tables.groups),
    Surface("judged", "table", "Grades of the judge", tables.judge_grades),
    Surface("trust", "table", "How far the judge can be trusted", tables.trust),
    Surface("validity", "table", "Simulated dialogues against people's", tables.validity),
    Surface("dialogue", "timeline", "Dialogues, turn by turn", dialogue, per_agent=True, counts="dialogues"),
    INTERVIEW,
)
