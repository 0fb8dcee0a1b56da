"""The page that `outscore serve` opens, and the HTTP interface behind it.

A job is one request, the same that the command line and Python make. A warm worker process runs it in a folder that holds the
uploaded files, so equal files give equal bytes, cancelling ends the process, and the command line and the Python call shown
beside a result repeat it. `app` admits requests, `api` answers them, `service` and `jobs` do the work in processes (`worker`),
`pages` holds what people see. This package needs the extra `web` and knows nothing of the command line.
"""
