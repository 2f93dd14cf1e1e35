"""Write what the reference studies ask of a model: src/openiir/runs/tiers/studies.json.

A minute on one core. Run it after a change of a type, its questions or its reference study.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from reference_rehearsals import ASKED, rehearse_reference  # noqa: E402

from openiir.runs.tiers import studies  # noqa: E402


def main() -> None:
    """Rehearse all reference studies and write the file."""
    with TemporaryDirectory() as scratch:
        found = []
        for name in ASKED:
            found.append(rehearse_reference(name, Path(scratch) / name))
            print(found[-1], flush=True)
    file = Path(studies.__file__).with_name("studies.json")
    file.write_text(json.dumps([one.model_dump(mode="json") for one in found], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
