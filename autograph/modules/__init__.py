"""Whole modules and scripts: the import hook, the conversion of files, and what is kept beside them."""
