"""The command line, with one file for each command."""


def main() -> None:
    """Run the `openiir` command. Exit codes: 0 done, 1 failed or a check did not hold, 2 bad input."""
    try:
        from openiir.cli.app import run_command
    except KeyboardInterrupt:  # while the libraries load
        from openiir.runs.terminal import print_message

        print_message("stopped before anything began")
        raise SystemExit(130) from None
    run_command()
