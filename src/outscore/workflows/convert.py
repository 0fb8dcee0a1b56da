"""From a request to two files: the samples of logs as Every Eval Ever, and the aggregate beside them."""

from __future__ import annotations

import os

from outscore.core.errors import OutscoreError
from outscore.formats.logs.choose import choose_filter, choose_systems, choose_task
from outscore.formats.logs.every_eval_ever import ENDING, aggregate, aggregate_path, sample_lines
from outscore.formats.logs.find import read_logs
from outscore.formats.logs.registry import LOGS
from outscore.results.files import check_target, write_files
from outscore.results.logs import Logs
from outscore.workflows.names import at_the_door, path_texts
from outscore.workflows.requests.show import ConvertRequest
from outscore.workflows.show.run import listing, propose


@at_the_door
def run(request: ConvertRequest, output: str) -> Logs:
    """Write the samples to `output` and the aggregate beside it, both or neither, and list what was written."""
    request.validate()
    if not output.endswith(ENDING):
        raise OutscoreError(
            f"`{output}` is not a valid name for a file of samples.", f"Name a file that ends in {ENDING}.", parameter="output"
        )
    totals = str(aggregate_path(output))
    for path in (output, totals):
        check_target(path, request.inputs, "--output")
    evaluations = read_logs(request.files, request.reader if request.reader in LOGS else None)
    evaluations = choose_systems(evaluations, request.system)
    evaluations = choose_task(evaluations, request.log_task, several=True)
    evaluations = evaluations if request.filter is None else choose_filter(evaluations, request.filter)
    write_files({output: sample_lines(evaluations), totals: aggregate(evaluations)})
    # The listing comes from reading the file back: its schema does not have the defaults of the original harness.
    return listing(evaluations, request, propose([(output, read_logs([output]))]))


def call(paths: object, output: object, *, systems: object, **given: object) -> Logs:
    """`outscore.convert`: a path, or several, and the file to write."""
    several = paths if isinstance(paths, (list, tuple)) else [paths]
    files, target = path_texts(several), path_texts([output])
    if files is None:
        raise OutscoreError("`paths` contains something that is not a path.", "Give the paths of logs.", parameter="files")
    if target is None:
        raise OutscoreError("`output` is not a path.", f"Name a file that ends in {ENDING}.", parameter="output")
    return run(ConvertRequest.from_python({**given, "systems": systems}, files=files), os.fspath(target[0]))
