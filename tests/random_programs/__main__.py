"""`python -m tests.random_programs --count 2000 --seed 0`: see `search`."""

import sys

from tests.random_programs.search import main

if __name__ == "__main__":
    sys.exit(main())
