"""Questions to visitors, judges and captioners, with the behaviour models that answer offline."""
