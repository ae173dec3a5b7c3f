"""`python -m autograph`: the same as the command `autograph`."""

import sys

from autograph.cli.entry import main

if __name__ == "__main__":
    sys.exit(main())
