"""The panel keeps the contract of every type."""

from openiir.scenarios.panel import Panel
from openiir.testing import ScenarioContract


class TestPanelContract(ScenarioContract):
    type = Panel
