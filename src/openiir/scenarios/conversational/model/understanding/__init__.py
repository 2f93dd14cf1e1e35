"""Understanding of utterances as dialogue acts, by catalogue and patterns or by trained classifiers."""
