"""The way of one function from its source to the code that runs: which functions are converted, into what, and when."""
