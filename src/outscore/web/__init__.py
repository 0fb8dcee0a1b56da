"""The page that `outscore serve` opens, and the HTTP interface behind it.

The page is a face of the command line: a job is one `outscore` command, run by a warm worker process in a folder that holds the
uploaded files. What is downloaded is therefore what the command writes, cancelling ends the process, and the command line to
copy is the one that ran. This package needs the extra `web`, is imported by the command line only, and knows nothing of it.
"""
