"""The text of functions and what is read off it: sources, names, trees, templates, line tables. It changes nothing."""
