"""What every type stands on: agents, worlds, personas, claims, asking, storage. It knows no type."""
