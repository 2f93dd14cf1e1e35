"""What this type alone models: sources, what agents see of each other, and tests of co-access."""
