"""What a staged loop carries: the search for its fixed point, its slots, and what lists and aliases mean in it."""
