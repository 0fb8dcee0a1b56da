"""Reports in their forms: text, Markdown, LaTeX, HTML, CSV."""
