"""Generation of utterances from dialogue acts, by built-in or learnt templates."""
