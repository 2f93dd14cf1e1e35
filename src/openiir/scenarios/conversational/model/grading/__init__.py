"""Formulas that grade a dialogue without a model."""
