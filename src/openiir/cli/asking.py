"""Commands that ask: the agents of a finished run, and the endpoints before one."""

from pathlib import Path
from typing import Annotated

import typer

from openiir.cli.app import app
from openiir.cli.running import SettingsFile, Trusted


@app.command()
def ask(
    folder: Annotated[Path, typer.Argument(metavar="RUN")],
    question: Annotated[str, typer.Argument(metavar="[QUESTION]")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="ID|all", help="Whom to ask.")] = "all",
    validate: Annotated[
        bool, typer.Option("--validate", help="Collect agree or disagree for each statement of the agent.")
    ] = False,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Ask agents of a finished run about their part in it."""
    from openiir.cli.interviews import interview_agents, validate_statements

    if validate:
        validate_statements(folder, agent)
    else:
        interview_agents(folder, agent, question, settings_file, trust)


@app.command()
def doctor(
    model: Annotated[
        str | None, typer.Option("--model", help="The model to try; the first listed by default.")
    ] = None,
    system: Annotated[
        Path | None, typer.Option("--system", metavar="FILE", help="Try the systems that a file declares.")
    ] = None,
    settings_file: SettingsFile = None,
    trust: Trusted = False,
) -> None:
    """Try the model endpoint, or a declared system."""
    from openiir.cli.probes import try_endpoint, try_systems

    if system is not None:
        try_systems(system, settings_file, trust)
    else:
        try_endpoint(model, settings_file)
