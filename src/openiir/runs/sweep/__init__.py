"""Sweeps: many runs of one study, with keys varied by a design and the same master seeds in every arm."""
