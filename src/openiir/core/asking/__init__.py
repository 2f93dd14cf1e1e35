"""Questions, answerers, the ledger of replies, and the parsing of replies."""

from openiir.core.asking.answerers import Answerer, ExternalAnswerer, Model, Offline, Recording
from openiir.core.asking.asked import Answer, Form, PlacedQuestion, persona_words, reply_words
from openiir.core.asking.choice import AnswererChoice
from openiir.core.asking.ledger import Ledger, ReceivedReply
from openiir.core.asking.question import Count, Facts, Id, Price, Question, Source, Stars, Year
from openiir.core.asking.reading import failure_text, read_reply
from openiir.core.asking.reply_schema import question_schema, record_schema, reply_scales, set_options
from openiir.core.asking.system_dialogues import OnTry, RestartLane, SystemAnswer, SystemAnswerer

__all__ = [
    "Answer",
    "Answerer",
    "PlacedQuestion",
    "AnswererChoice",
    "Count",
    "Facts",
    "Form",
    "SystemAnswer",
    "Id",
    "Ledger",
    "Model",
    "Offline",
    "OnTry",
    "ExternalAnswerer",
    "SystemAnswerer",
    "Price",
    "Question",
    "ReceivedReply",
    "Recording",
    "Source",
    "Stars",
    "RestartLane",
    "Year",
    "failure_text",
    "set_options",
    "persona_words",
    "read_reply",
    "reply_words",
    "reply_scales",
    "question_schema",
    "record_schema",
]
