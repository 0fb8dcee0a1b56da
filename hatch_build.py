"""What a build knows only when it runs: where the project lives, and so where the links of its README lead.

`OUTSCORE_URL` is the address of the repository, which the release workflow sets. With it the package has links, and those of
the README are absolute, as the page of a package index needs them; without it, links to files keep only their words.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]\n]*)\]\((?!https?:|#)([^)\s]+)\)")
MARKER = re.compile(r"<!-- .*? -->\n")
URLS = {"Documentation": "blob/{tag}/README.md", "Changelog": "blob/{tag}/CHANGELOG.md", "Source": "", "Issues": "issues"}


class ReadmeAndUrls(MetadataHookInterface):
    """Sets `readme` and `urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in what the project declares as dynamic."""
        url, tag = os.environ.get("OUTSCORE_URL", "").rstrip("/"), f"v{metadata.get('version') or _version(Path(self.root))}"
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme_of(text, url, tag)}
        metadata["urls"] = {name: f"{url}/{path.format(tag=tag)}".rstrip("/") for name, path in URLS.items()} if url else {}


def readme_of(text: str, url: str, tag: str) -> str:
    """The README with absolute links, or with the words of its links alone where the address is not known."""

    def link(match: re.Match[str]) -> str:
        mark, words, path = match[1], match[2], match[3]
        if not url:
            return "" if mark else words
        return f"{mark}[{words}]({url}/{'raw' if mark else 'blob'}/{tag}/{path})"

    return LINK.sub(link, MARKER.sub("", text))


def _version(root: Path) -> str:
    found = re.search(r'__version__ = "(.+)"', (root / "src" / "outscore" / "_version.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]
