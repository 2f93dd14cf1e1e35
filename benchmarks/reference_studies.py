"""Write what the reference studies ask of a model: `rehearsal.json` in the folder of each.

A minute on one core. Run it after a change of a type, its questions or its reference study.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from reference_rehearsals import ASKED, rehearse_reference  # noqa: E402

from openiir.runs.tiers.studies import REHEARSAL  # noqa: E402
from openiir.runs.types import find_type  # noqa: E402


def main() -> None:
    """Rehearse all reference studies and write the files."""
    with TemporaryDirectory() as scratch:
        for name in ASKED:
            found = rehearse_reference(name, Path(scratch) / name)
            print(found, flush=True)
            values = found.model_dump(mode="json", exclude={"type"})
            file = find_type(name).reference / REHEARSAL
            file.write_text(json.dumps(values, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
