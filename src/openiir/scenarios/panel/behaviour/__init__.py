"""State of a panel around its questions: members and memories, who has the floor, what was claimed."""
