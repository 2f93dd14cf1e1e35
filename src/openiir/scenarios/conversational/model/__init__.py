"""Item neighbours and ranks: what the kit would hold if a second type used it."""
