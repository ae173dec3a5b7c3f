"""What a region of the traced program changes: the journal of writes, aliases, escapes, and objects of libraries."""
