"""`python -m tests.namespaces --only np.clip`: see `search`."""

import sys

from tests.namespaces.search import main

if __name__ == "__main__":
    sys.exit(main())
