"""Views of a run: what an experiment came to as tables and lines, and visits as a person would tell them."""

from openiir.plugin import Interview, Surface
from openiir.scenarios.recommender.surfaces import series as lines
from openiir.scenarios.recommender.surfaces import tables
from openiir.scenarios.recommender.surfaces.timeline import after, statements, visit

SURFACES: tuple[Surface | Interview, ...] = (
    Surface("comparison", "table", "The recommenders side by side", tables.comparison),
    Surface("data", "table", "What was read, and what was left out of it", tables.data),
    Surface("visit", "timeline", "Visits, page by page", visit, per_agent=True),
    Surface("pages", "series", "Share of titles taken, page by page", lines.pages),
    Surface(
        "lists", "table", "The top of the lists, by held-out ratings and by what visitors liked", tables.lists
    ),
    Surface(
        "discrimination",
        "table",
        "Items met and not met: the agent and what stands beside it",
        tables.discrimination,
    ),
    Surface(
        "accuracy", "series", "Accuracy by the number of items not met for each that was", lines.accuracy
    ),
    Surface("rating", "table", "Ratings of held-out items: errors, with coverage", tables.rating),
    Surface("distribution", "series", "Shares of the ratings 1 to 5", lines.distribution),
    Surface("exposure", "series", "Mean rating by genre, before and during a visit", lines.exposure),
    Surface("thumbnails", "table", "Clicks by variant of the picture", tables.thumbnails),
    Surface("coherence", "table", "What was asked for, and what was taken", tables.coherence),
    Surface("personas", "table", "Personas matched, beside what users say of themselves", tables.personas),
    Surface("groups", "table", "Groups of personas, and how they behaved", tables.groups),
    Interview("chat", "Ask a visitor about its visits", after, statements),
)
