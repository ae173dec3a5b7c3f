"""Facts about the names and the control flow of a function; analyses read a tree and never change it."""
