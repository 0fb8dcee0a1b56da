"""A ranking in any of its forms: the one door for the command line."""

from __future__ import annotations

from outscore.results.ranking import Ranking

__all__ = ["render"]


def render(ranking: Ranking, form: str, *, verbose: bool = False) -> str:
    """The ranking as text, markdown, latex, html, csv (its scores) or pairs (a table of them)."""
    match form:
        case "text":
            from outscore.report.write.ranking_text import render_text

            return render_text(ranking, verbose=verbose)
        case "markdown":
            from outscore.report.write.ranking_markdown import render_markdown

            return render_markdown(ranking, verbose=verbose)
        case "latex":
            from outscore.report.write.ranking_latex import render_latex

            return render_latex(ranking, verbose=verbose)
        case "html":
            from outscore.report.write.ranking_html import render_html

            return render_html(ranking)
        case "csv":
            from outscore.report.write.ranking_csv import scores_csv

            return scores_csv(ranking)
        case _:
            from outscore.report.write.ranking_csv import pairs_csv

            return pairs_csv(ranking)
