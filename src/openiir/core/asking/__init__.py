"""Questions, answerers, the ledger of replies, and the parsing of replies."""

from openiir.core.asking.answerers import Answerer, Model, Offline, Outside, Recording
from openiir.core.asking.asked import Answer, Asked, Form, persona_words, reply_words
from openiir.core.asking.choice import Choice
from openiir.core.asking.ledger import Ledger, ReceivedReply
from openiir.core.asking.question import Count, Facts, Id, Price, Question, Source, Stars, Year
from openiir.core.asking.reading import failure_text, read
from openiir.core.asking.reply_schema import options_of, reply_scales, schema_for, schema_of
from openiir.core.asking.system_dialogues import Heard, OnTry, Partner, RestartLane

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
    "ReceivedReply",
    "Recording",
    "Source",
    "Stars",
    "RestartLane",
    "Year",
    "failure_text",
    "options_of",
    "persona_words",
    "read",
    "reply_words",
    "reply_scales",
    "schema_for",
    "schema_of",
]
