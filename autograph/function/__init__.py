"""`ag.function`: a program for each kind of input, whose errors are Python's."""
