"""Views of a study of dialogues: scores beside failures, comparisons, and dialogues to read."""

from openiir.plugin import Interview, Surface
from openiir.scenarios.conversational.surfaces import lines, tables
from openiir.scenarios.conversational.surfaces.telling import dialogue

SURFACES: tuple[Surface | Interview, ...] = (
    Surface("results", "table", "Each simulator with each system, failures beside scores", tables.results),
    Surface("ends", "table", "Why dialogues ended", tables.ends),
    Surface("progress", "series", "Success by turn", lines.progress),
    Surface("recall", "series", "Targets shown by turn", lines.recall),
    Surface("comparison", "table", "Pairs of systems on the same needs", tables.comparison),
    Surface("agreement", "table", "Whether simulators put the systems into one order", tables.agreeing),
    Surface("groups", "table", "Parts of the population", tables.groups),
    Surface("judged", "table", "Grades of the judge", tables.judged),
    Surface("trust", "table", "How far the judge can be trusted", tables.trust),
    Surface("validity", "table", "Simulated dialogues against people's", tables.validity),
    Surface("dialogue", "timeline", "Dialogues, turn by turn", dialogue, per_agent=True, counts="dialogues"),
)
