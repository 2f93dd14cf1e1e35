"""What a run of dialogues says of systems and of simulators."""
