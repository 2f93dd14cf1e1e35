"""What a model is told is reviewed by reading: `record_prompts.py` writes the pages anew where a change is meant."""

import importlib.util
from pathlib import Path

HERE = Path(__file__).parent
_SPEC = importlib.util.spec_from_file_location("record_prompts", HERE / "record_prompts.py")
record_prompts = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(record_prompts)


def test_each_prompt_is_the_page_that_was_reviewed() -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (HERE / "prompts").glob("*.txt")}
    assert record_prompts.prompts() == pages
