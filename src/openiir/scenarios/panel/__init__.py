"""Panel: personas with budgets deliberate in moderated rounds and leave an argument graph."""

from openiir.scenarios.panel.scenario import Panel

__all__ = ["Panel"]
