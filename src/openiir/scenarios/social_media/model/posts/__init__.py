"""Posts of a social medium: their columns, what ranks them, who is shown them, how members react."""
