"""The source code of functions and what is read off it: names, trees, templates, line tables. It changes nothing."""
