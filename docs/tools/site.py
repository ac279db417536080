"""What MkDocs does beside rendering: a fresh configuration reference, and the repository's own pages as pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

TOOLS = Path(__file__).parent
ROOT = TOOLS.parents[1]
#: Files of the repository that are pages of the site too.
PAGES = {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, *, config: Any) -> Files:
    """The repository's own pages, their links turned to where the site has them."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=as_page((ROOT / name).read_text(encoding="utf-8"))))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """The configuration reference from the models as they are now."""
    if page.file.src_uri != "configuration.md":
        return markdown
    sys.path.insert(0, str(TOOLS))
    try:
        from config_reference import page as reference
    finally:
        sys.path.remove(str(TOOLS))
    return reference(markdown)


def as_page(text: str) -> str:
    """Text of the repository's root as text of the folder of pages."""
    for name, page in PAGES.items():
        text = text.replace(f"]({name})", f"]({page})")
    return re.sub(r"\]\(docs/", "](", text)
