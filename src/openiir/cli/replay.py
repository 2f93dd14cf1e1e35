"""`openiir replay`: execute a run again from its ledger alone."""

from openiir.cli.options import RunFolder, SettingsFile, Trusted, Workers, command_app
from openiir.cli.run_output import print_last_lines
from openiir.runs.execute import LocalOptions, replay_run

app = command_app()


@app.command()
def replay(
    folder: RunFolder, settings_file: SettingsFile = None, workers: Workers = None, trust: Trusted = False
) -> None:
    """Execute a run again from its ledger alone, and compare."""
    print_last_lines(folder, replay_run(folder, LocalOptions(settings_file, workers, trust)))
