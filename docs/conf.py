"""The site: `sphinx-build -W -c docs . build/site`, from the root of the checkout.

Its source is the checkout itself, so that a link between two files is the same on the site and in the repository, and a link to
a program gives the program. No page is executed here: `tests/test_docs.py` and `tests/test_notebook.py` run all blocks and compare.
"""

import json
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from autograph import __version__

project = "AutoGraph for JAX"
version = release = __version__
author = "the maintainers"
html_title = project

root_doc = "docs/index"
include_patterns = ["docs/**.md", "examples/README.md", "examples/notebook.ipynb", "benchmarks/README.md", "*.md"]
exclude_patterns = ["README.md", ".*", "build", "dist", "autograph", "converters", "runtime", "tests"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "off"
myst_heading_anchors = 4  # links lead to titles by GitHub's rule
default_role = "literal"  # in docstrings, `x` is code
autodoc_typehints = "none"  # the types stand in the signatures of the source; docstrings say what they mean
autodoc_preserve_defaults = True
napoleon_use_rtype = False

html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
html_static_path = ["site/site.css", "site/search.js"]
html_css_files = ["site.css"]
html_js_files = [("search.js", {"defer": "defer"})]
html_extra_path = ["site/index.html"]  # the way from the root to the first page
pygments_dark_style = "github-dark"


def list_error_pages(app: Sphinx, page: str, text: list[str]) -> None:
    """The pages of the catalogue stand below it, in the order in which its tables name them."""
    if page == "docs/errors":
        pages = dict.fromkeys(re.findall(r"\]\((errors/[\w-]+)\.md", text[0]))
        text[0] += "\n".join(["", "```{toctree}", ":hidden:", "", *pages, "```", ""])


def name_rows(app: Sphinx, page: str, text: list[str]) -> None:
    """Makes `<a id="row"></a>`, to which links lead on GitHub, a target that the site knows, so that links to it are checked."""
    text[0] = re.sub(r'<a id="([\w-]+)"></a>', r"[]{#\1}", text[0])


def check_search(app: Sphinx, failed: Exception | None) -> None:
    """Fails where the search would not find a page of the catalogue by the first line of its message."""
    if failed is None and app.builder.name == "html":
        index = json.loads(Path(app.outdir, "searchindex.js").read_text(encoding="utf-8")[len("Search.setIndex(") : -1])
        language = app.builder.indexer.lang
        for page in Path(app.srcdir, "docs", "errors").glob("*.md"):
            number = index["docnames"].index(f"docs/errors/{page.stem}")
            line = page.read_text(encoding="utf-8").partition("```text\n")[2].partition("\n")[0]
            for word in filter(language.word_filter, language.split(line.lower())):
                found = [index[kind].get(language.stem(word), []) for kind in ("terms", "titleterms")]
                if not any(number == pages or (isinstance(pages, list) and number in pages) for pages in found):
                    raise ExtensionError(f"{page.name}: the search does not find its message by {word!r}")


def setup(app: Sphinx) -> None:
    app.connect("source-read", list_error_pages)
    app.connect("build-finished", check_search)
    app.connect("source-read", name_rows)
