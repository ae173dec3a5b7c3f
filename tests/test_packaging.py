"""The wheel and the source archive contain the package, each file once, and say what it needs."""

import configparser
import email
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"autograph": "autograph", "converters": "autograph/converters", "runtime": "autograph/runtime"}
BUILD = """
import sys
from setuptools import build_meta
folder = sys.argv[1]  # setuptools writes its own words into sys.argv
build_meta.build_sdist(folder)
build_meta.build_wheel(folder)
"""


def modules_in_checkout() -> set[str]:
    """Every Python file of the package by its installed path."""
    found = set()
    for folder, installed in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.py"):
            relative = path.relative_to(ROOT / folder)
            if not (folder == "autograph" and relative.parts[0] in ("converters", "runtime")):
                found.add(f"{installed}/{relative.as_posix()}")
    return found | {"autograph_pytest.py"}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One sdist and one wheel, built without the network from a copy, so that the checkout stays clean."""
    copy = tmp_path_factory.mktemp("source") / "checkout"
    ignore = shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=ignore)
    dist = tmp_path_factory.mktemp("dist")
    build = subprocess.run([sys.executable, "-c", BUILD, str(dist)], cwd=copy, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    return {"sdist": next(dist.glob("*.tar.gz")), "wheel": next(dist.glob("*.whl"))}


def test_the_wheel_has_every_module_once_under_its_installed_name(archives: dict[str, Path]) -> None:
    names = zipfile.ZipFile(archives["wheel"]).namelist()
    assert len(names) == len(set(names))
    assert {name for name in names if name.endswith(".py")} == modules_in_checkout()
    viewer = {f"autograph/graphs/viewer/{path.name}" for path in (ROOT / "autograph/graphs/viewer").iterdir()}
    assert {"autograph/py.typed", "autograph/graphs/viewer/dagre.LICENSE"} | viewer <= set(names)
    pages = {f"autograph/error_pages/{path.name}" for path in (ROOT / "docs" / "errors").iterdir()}
    assert {name for name in names if name.startswith("autograph/error_pages/")} == pages


def test_the_wheel_has_no_top_level_names_but_the_package_and_the_pytest_plugin(archives: dict[str, Path]) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(archives["wheel"]).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"autograph", "autograph_pytest.py"}


def test_the_metadata_says_what_setup_cfg_says(archives: dict[str, Path]) -> None:
    wheel = zipfile.ZipFile(archives["wheel"])
    (metadata,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    message = email.message_from_bytes(wheel.read(metadata))
    assert message["Name"] == "jax-autograph"
    assert message["Requires-Python"] == ">=3.11"
    version = re.search(r'__version__ = "(.*)"', (ROOT / "autograph/_version.py").read_text())
    assert version and message["Version"] == version[1]
    required = {re.split(r"[<>=; ]", line)[0] for line in message.get_all("Requires-Dist", []) if "extra" not in line}
    assert required == {"jax", "gast", "astunparse", "numpy"}
    entry_points = configparser.ConfigParser()
    entry_points.read_string(wheel.read(metadata.replace("METADATA", "entry_points.txt")).decode())
    assert entry_points["console_scripts"]["autograph"] == "autograph.cli:main"
    assert any(name.endswith("LICENSE") for name in wheel.namelist())


def test_the_source_archive_has_everything_once_and_no_links(archives: dict[str, Path]) -> None:
    with tarfile.open(archives["sdist"]) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    assert all(member.isfile() for member in members)
    names = [member.name.split("/", 1)[1] for member in members]
    assert len(names) == len(set(names))
    for folder in (*FOLDERS, "tests", "examples", "benchmarks", "docs"):
        for path in (ROOT / folder).rglob("*.py"):
            relative = path.relative_to(ROOT).as_posix()
            if not relative.startswith(("autograph/converters/", "autograph/runtime/")):
                assert relative in names
    assert {"LICENSE", "README.md", "CHANGELOG.md", "setup.cfg", "pyproject.toml", "autograph/py.typed"} <= set(names)
    assert "autograph/graphs/viewer/dagre.min.js" in names
    assert not [name for name in names if name.startswith(("autograph/converters", "autograph/runtime", "autograph/error_pages"))]


def test_the_pytest_plugin_is_announced(archives: dict[str, Path]) -> None:
    wheel = zipfile.ZipFile(archives["wheel"])
    (entries,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "[pytest11]\nautograph = autograph_pytest\n" in wheel.read(entries).decode()


def test_every_package_is_listed_in_setup_cfg() -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    listed = set(config["options"]["packages"].split())
    parents = {str(Path(name).parent).replace("/", ".") for name in modules_in_checkout()}
    assert parents - {"."} | {"autograph.error_pages"} == listed


def test_an_unpacked_source_archive_imports_without_the_links(archives: dict[str, Path], tmp_path: Path) -> None:
    with tarfile.open(archives["sdist"]) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since Python 3.11.4
        archive.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    code = "import autograph, autograph.runtime, autograph.converters; print(autograph.runtime.__file__)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == folder / "runtime" / "__init__.py"
