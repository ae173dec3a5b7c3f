"""The warnings of other libraries are theirs: only this library's are errors here. What fails today is marked."""

import pytest

from tests.frameworks.failures import FAILS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "frameworks" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("ignore"), append=False)
            for reason, names in FAILS.get(item.path.stem, {}).items():
                if item.name in names:
                    item.add_marker(pytest.mark.xfail(strict=True, reason=reason))
