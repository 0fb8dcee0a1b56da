"""What MkDocs does not do by itself: pages that stand outside `docs`, formulas, the Python reference, and a last look.

MkDocs calls the functions that begin with `on_`. Pages keep links that work where they stand in the repository; `relinked`
turns them into links between the pages of the site. `make site` builds it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from outscore import PUBLIC
from outscore.web.methods import to_mathml

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/README.md": "measured/speed.md",
}
"""Pages of the repository that are no files of `docs`, and where the site has them."""
LINK = re.compile(r"(!?)\[([^\]\n]*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(r"^\$\$(.+)\$\$$", re.MULTILINE)
PUBLIC_NAMES = re.compile(r"<!-- public -->.*<!-- /public -->", re.DOTALL)
FETCHED = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")
IN_STYLES = re.compile(r"""(?:url\(|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that stand outside `docs`, and the pictures they show."""
    from mkdocs.structure.files import File

    for source, target in OUTSIDE.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text(encoding="utf-8")))
    for picture in sorted((ROOT / "benchmarks" / "results").glob("*.svg")):
        files.append(File.generated(config, f"measured/results/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page as the site shows it."""
    del config
    inside = {target: source for source, target in OUTSIDE.items()}
    source = inside.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    pieces = FENCE.split(markdown)
    # Text between fences is left as it is.
    pieces[::2] = [relinked(piece, source, page.file.src_uri, files) for piece in pieces[::2]]
    text = FORMULA.sub(lambda match: f'<p class="formula">{to_mathml(match[1])}</p>', "".join(pieces))
    return PUBLIC_NAMES.sub(lambda _: python_reference(), text)


def relinked(text: str, source: str, target: str, files: Files) -> str:
    """Links of a page in the repository as links of the site; what is not a page there is named without a link."""

    def link(match: re.Match[str]) -> str:
        mark, words, path, anchor = match[1], match[2], match[3], match[4] or ""
        if not path or ":" in path:
            return match[0]
        whole = os.path.normpath(PurePosixPath(source).parent / path)
        if not (ROOT / whole).exists():
            return match[0]  # MkDocs says that it is dead
        if whole.startswith("benchmarks/results/"):
            whole = whole.replace("benchmarks/", "measured/", 1)
        place = OUTSIDE.get(whole, whole.removeprefix("docs/"))
        if files.get_file_from_path(place) is None:
            return words if words.startswith("`") or words == whole else f"{words} (`{whole}`)"
        return f"{mark}[{words}]({os.path.relpath(place, PurePosixPath(target).parent)}{anchor})"

    return LINK.sub(link, text)


def python_reference() -> str:
    """Every public name, to be documented from its docstring."""
    parts = []
    for module, names in PUBLIC.items():
        parts += [f"::: {module}.{name}\n" for name in names]
    return "\n".join(parts)


def on_post_build(config: MkDocsConfig) -> None:
    """Refuse a site that would ask another one for something, or whose search knows nothing."""
    from mkdocs.exceptions import PluginError

    site = Path(config.site_dir)
    for path in sorted(site.rglob("*.html")):
        if match := FETCHED.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path.relative_to(site)} fetches {match[1]}.")
    for path in sorted(site.rglob("*.css")):
        if match := IN_STYLES.search(path.read_text(encoding="utf-8")):
            raise PluginError(f"{path.relative_to(site)} fetches {match[1]}.")
