"""Storage of a run: its SQLite run file, Parquet tables and after-file; the only code that writes by SQL."""

from openiir.core.storage.after_file import VERDICTS, AfterFile, StoredInterview, StoredValidation, Verdict
from openiir.core.storage.asked_facts import AskedFacts, find_facts
from openiir.core.storage.calls_by_step import CallsByStep
from openiir.core.storage.content import ContentHash, content_hash, rest_digests
from openiir.core.storage.database import is_writable
from openiir.core.storage.folder import hide_folder, is_free
from openiir.core.storage.integrity import check_run, read_manifest
from openiir.core.storage.log import AnswerCount, Log
from openiir.core.storage.members import Members
from openiir.core.storage.run_file import RunFile
from openiir.core.storage.shared_steps import SharedSteps
from openiir.core.storage.step_rows import StepRows
from openiir.core.storage.table_rows import Column, TableRows
from openiir.core.storage.tables import table_difference
from openiir.core.storage.usage_file import UsageFile, default_usage_file
