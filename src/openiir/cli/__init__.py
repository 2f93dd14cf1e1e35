"""Terminal words: commands, progress and drawing; it names no type."""

from openiir.cli.app import main

__all__ = ["main"]
