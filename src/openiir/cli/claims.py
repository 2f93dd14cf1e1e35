"""`openiir claims`: show or measure argument graphs made elsewhere, or write them in another format."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.options import OutFile, command_app
from openiir.cli.surface_output import print_measures
from openiir.core.claims import graph_measures, strengths
from openiir.core.claims.formats import read_aif
from openiir.plugin import Graph
from openiir.runs.terminal import print_result
from openiir.runs.views.emit import output_view

app = command_app("Import argument graphs.")


@app.callback()
def _group() -> None:
    """Keep `import` a subcommand, though it is the only one."""


@app.command("import")
def import_claims(
    file: Annotated[Path, typer.Argument(help="An argument graph in AIF JSON.")],
    topic: Annotated[str, typer.Option("--topic", help="What the claims are about.")] = "",
    form: Annotated[str, typer.Option("--format", help="text, json, aif, graphml or cypher.")] = "",
    out: OutFile = None,
) -> None:
    """Read an argument graph made elsewhere: show it, measure it, or write it in another format."""
    imported = read_aif(file, topic)
    view = Graph(
        topic=topic or file.stem,
        claims=imported.claims,
        edges=imported.edges,
        strengths=strengths(imported.claims, imported.edges),
    )
    output_view("Argument graph", view, form, out, file.stem)
    if form in ("", "text") and out is None:
        print_result()
        print_measures(graph_measures(imported.claims, imported.edges))
