"""What a judge says of a dialogue, by five aspects, and how far people agree."""
