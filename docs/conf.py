"""How Sphinx builds the pages: `make docs`. Nothing is fetched, here or in the reader's browser."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

import cellapse  # noqa: E402

project = "cellapse"
author = "The cellapse developers"
copyright = author
version = release = cellapse.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "public_names",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*", "make_figures.py", "gallery/*.ipynb", "gallery/*.py", "**/*.zip"]

# Pages
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

# The reference
autodoc_typehints = "none"  # the parameters are described in words
autodoc_mock_imports = ["mpi4py", "petsc4py", "slepc4py"]  # libraries of the system
autosummary_generate = True
autosummary_imported_members = True
numpydoc_show_class_members = False  # the template lists them, with links
numpydoc_class_members_toctree = False
templates_path = ["_templates"]
add_module_names = False
default_role = "code"

# The gallery
warnings.filterwarnings("ignore", category=cellapse.CellapseWarning)
sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r".*\.py",
    "ignore_pattern": r"__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("cellapse",),
    "backreferences_dir": "gallery/backreferences",
    "inspect_global_variables": False,
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "capture_repr": ("_repr_html_",),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "write_computation_times": False,
    "plot_gallery": os.environ.get("CELLAPSE_GALLERY", "yes") == "yes",
    "notebook_images": False,
    "thumbnail_size": (480, 240),
}

# The look
html_theme = "pydata_sphinx_theme"
html_title = "cellapse"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "search_scorer.js")
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
        "text": "cellapse",
        "alt_text": "cellapse",
    },
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": [], "changelog": []}
