"""Questions, answerers, the ledger of replies, and the parsing of replies."""

from openiir.core.asking.answerer_choice import AnswererChoice
from openiir.core.asking.answerers import (
    Answerer,
    ExternalAnswerer,
    ModelAnswerer,
    OfflineAnswerer,
    RecordedAnswerer,
)
from openiir.core.asking.crowd_question import Columns, CrowdQuestion
from openiir.core.asking.ledger import Ledger, ReceivedReply
from openiir.core.asking.placed_question import Answer, Form, PlacedQuestion, persona_words, reply_words
from openiir.core.asking.question import Question
from openiir.core.asking.question_parts import Count, Id, Price, Source, Stars, Year
from openiir.core.asking.reading import failure_text, read_reply
from openiir.core.asking.recorded_facts import FactsRecorder, restore_question
from openiir.core.asking.reply_schema import question_scales, question_schema, record_schema, set_options
from openiir.core.asking.system_dialogues import OnTry, RestartLane, SystemAnswer, SystemAnswerer
