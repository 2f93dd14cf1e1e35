"""Users and platform of a feed between its questions: state, memory, ranking and serving."""
