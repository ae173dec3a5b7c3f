"""What Python objects are: their kinds, the places within them, and how two of them become one."""
