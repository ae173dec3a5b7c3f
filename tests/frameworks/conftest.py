"""The warnings of other libraries are theirs: only this library's are errors here."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "frameworks" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("ignore"), append=False)
