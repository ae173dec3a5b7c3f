"""Programs that do not give Python's answer yet, in one place: name -> what happens and why.

They run as strict expected failures: a program that starts to work must leave this list.
"""

PENDING: dict[str, str] = {}
