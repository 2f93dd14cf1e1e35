"""Fit simulators and models to data: approximate Bayesian computation, likelihood, recovery, held-out checks."""

from openiir.kit.fitting.approximate_bayes import PriorSimulations, Simulator, simulate_prior
from openiir.kit.fitting.held_out import HeldOutLoss, compare_held_out, crps
from openiir.kit.fitting.likelihood import LogLikelihood, maximise_likelihood
from openiir.kit.fitting.parameters import Fit, Parameter
from openiir.kit.fitting.recovery import ParameterRecovery, check_recovery

__all__ = [
    "Fit",
    "HeldOutLoss",
    "LogLikelihood",
    "Parameter",
    "ParameterRecovery",
    "PriorSimulations",
    "Simulator",
    "check_recovery",
    "compare_held_out",
    "crps",
    "maximise_likelihood",
    "simulate_prior",
]
