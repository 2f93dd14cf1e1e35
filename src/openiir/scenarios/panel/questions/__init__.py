"""Questions that the panel asks, with their prompts, replies and offline answers."""
