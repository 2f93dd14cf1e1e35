"""How agents are asked: questions, answerers, the ledger, and the reading of replies."""

from openiir.core.asking.answerers import Answerer, Model, Offline, Outside, Recording
from openiir.core.asking.asked import (
    Answer,
    Asked,
    Form,
    options_of,
    persona_words,
    reply_words,
    scales_of,
    schema_for,
    schema_of,
)
from openiir.core.asking.choice import Choice
from openiir.core.asking.ledger import Ledger, Received
from openiir.core.asking.question import Count, Facts, Id, Price, Question, Source, Stars, Unsplit, Year
from openiir.core.asking.reading import failure_text, read
from openiir.core.asking.turns import Heard, OnTry, Partner, StartAnew

__all__ = [
    "Answer",
    "Answerer",
    "Asked",
    "Choice",
    "Count",
    "Facts",
    "Form",
    "Heard",
    "Id",
    "Ledger",
    "Model",
    "Offline",
    "OnTry",
    "Outside",
    "Partner",
    "Price",
    "Question",
    "Received",
    "Recording",
    "Source",
    "Stars",
    "StartAnew",
    "Unsplit",
    "Year",
    "failure_text",
    "options_of",
    "persona_words",
    "read",
    "reply_words",
    "scales_of",
    "schema_for",
    "schema_of",
]
