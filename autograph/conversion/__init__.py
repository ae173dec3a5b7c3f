"""The way of one function from its text to the code that runs: which functions are converted, into what, and when."""
