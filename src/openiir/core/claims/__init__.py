"""Claims and typed edges: extraction, graph, strength, formats."""
