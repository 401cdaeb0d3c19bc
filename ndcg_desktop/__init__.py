"""Judge search results, and see exactly why a ranking scores what it scores."""
