"""Fit simulators and models to data: approximate Bayesian computation, likelihood, recovery, held-out
checks."""

from lab.fitting.approximate_bayes import PriorSimulations, Simulator, simulate_prior
from lab.fitting.held_out import HeldOutLoss, compare_held_out, crps
from lab.fitting.likelihood import LogLikelihood, maximise_likelihood
from lab.fitting.parameters import Fit, Parameter
from lab.fitting.recovery import ParameterRecovery, check_recovery

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
