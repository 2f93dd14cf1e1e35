"""Building blocks of all scenario types: agents, worlds, personas, claims, questions, storage."""
