"""Opinion dynamics and offline speech: what the kit would hold if a second type used it."""
