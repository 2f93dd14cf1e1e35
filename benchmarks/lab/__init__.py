"""Models and measures that benchmarks and notebooks use and no type does."""
