"""The panel keeps the contract of every type, in each of its shapes."""

from openiir.scenarios.panel import Panel
from openiir.testing import ScenarioContract

FEW = ('cast=["mara-lindqvist", "wen-zhao", "nora-feld", "dmitri-vance"]', "world.dimensions=16")


class PanelContract(ScenarioContract):
    type = Panel
    audited = False  # tests/runs/test_audit.py audits every built-in type


class TestStandard(PanelContract):
    sets = FEW


class TestDelphi(PanelContract):
    sets = (*FEW, "config.shape=delphi")


class TestIdeation(PanelContract):
    sets = (*FEW, "config.shape=ideation")
