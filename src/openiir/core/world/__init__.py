"""What a run knows: sources, chunks, lookup, and justified web search."""
