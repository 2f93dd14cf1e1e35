"""Open-Web: study what funds the web when agents skip advertisements, and whether people retreat."""

from openiir.scenarios.open_web.scenario import OpenWeb

__all__ = ["OpenWeb"]
