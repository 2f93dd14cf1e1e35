"""Rule-based grading of dialogues, used as the offline judge and as a reference for other judges."""
