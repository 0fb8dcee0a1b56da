"""`outscore serve` for tests: with one worker that imports nothing in advance, which saves most of a test's time."""

SMALL = """
import functools
from outscore.web import settings
settings.Settings = functools.partial(settings.Settings, workers=1, warm=False)
from outscore.cli.app import main
main()
"""
