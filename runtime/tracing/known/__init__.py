"""Numbers that Python knows in each iteration of a staged loop."""
