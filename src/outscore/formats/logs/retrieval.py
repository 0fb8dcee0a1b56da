"""Rankings of documents: a TREC run judged by relevance judgements, and per-query numbers that were computed elsewhere.

The numbers of a run are those of `ir-measures`, the extra `ir`. Every query of the judgements counts, and one that the run
does not answer counts as 0, as in `trec_eval -c`.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from outscore.core.errors import OutscoreError, load_extra
from outscore.core.numeric import float_of
from outscore.formats.base.source import open_bytes, stem_of
from outscore.formats.json import number_of
from outscore.formats.logs.document import Document, LogPeek, Piece, open_document
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import Evaluation, Row
from outscore.scores.system import Origin, label_of

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
"""What is offered where no measure is named."""
SUCH_AS = f"Name one such as {', '.join(DEFAULT_MEASURES)}."
_JUDGEMENT = 4


def are_qrels(path: str) -> bool:
    """Whether a file begins like relevance judgements."""
    with open_bytes(path) as (stream, _):
        fields = stream.readline(4096).split()
    return len(fields) == _JUDGEMENT and re.fullmatch(rb"[+-]?\d+", fields[-1]) is not None


def _relevance(written: str) -> int | None:
    return int(written) if re.fullmatch(r"[+-]?\d+", written) else None


def _score(written: str) -> float | None:
    number = float_of(written)
    return number if math.isfinite(number) else None


def _numbers(
    path: str, expected: str, number: Callable[[str], Any], place: int, wrong: tuple[str, str], verb: str
) -> tuple[dict[str, dict[str, Any]], str]:
    """The numbers of documents by query, of a file with one on each line, and the digest of the file."""
    found: dict[str, dict[str, Any]] = {}
    width = expected.count(",") + 1
    with open_document(path) as document:
        for piece in document.lines():
            fields = bytes(piece.data).decode(errors="replace").split()
            if len(fields) != width:
                finding = f" has {len(fields)} fields instead of {width}."
                document.refuse(finding, f"Each line needs {expected}.", piece.line)
            query, name, value = fields[0], fields[2], number(fields[place])
            if value is None:
                document.refuse(f": `{fields[place]}` is not {wrong[0]}.", wrong[1], piece.line)
            if name in found.setdefault(query, {}):
                finding = f": document `{name}` of query `{query}` is {verb} twice."
                document.refuse(finding, "Remove one of the lines.", piece.line)
            found[query][name] = value
        if not found:
            document.refuse(" is empty.", f"Each line needs {expected}.")
        return found, document.sha256


def evaluate_run(path: str, qrels: str, measure: str | None) -> Evaluation:
    """A run by one measure, or by the usual ones, a row for each query that is judged."""
    whole, decimal = ("a whole number", "Write the relevance as one."), ("a score", "Write a number as the fifth field.")
    judged, _ = _numbers(qrels, "query, 0, document, relevance", _relevance, 3, whole, "judged")
    run = "query, Q0, document, rank, score, name of the run"
    ranked, digest = _numbers(path, run, _score, 4, decimal, "ranked")
    ir_measures = load_extra("ir_measures", "use --qrels", "ir")
    measures = _measures(ir_measures, (measure,) if measure else DEFAULT_MEASURES)
    answered, name = [query for query in judged if query in ranked], stem_of(path)
    if not answered:
        finding = f"{label_of(path)}: none of its {len(ranked)} queries is judged in `{qrels}`."
        raise OutscoreError(finding, "Name the judgements of these queries.", file=path)
    scores: dict[str, dict[str, float]] = {query: {} for query in judged}
    try:
        results = list(ir_measures.iter_calc(list(measures.values()), judged, ranked))
    except Exception as error:  # noqa: BLE001 - some measures need programs that are missing, or other data, and fail in any way
        reason = " ".join(str(error).split()).partition(". ")[0].rstrip(".")
        finding = f"ir-measures cannot compute {' and '.join(measures)} here: {reason}."
        raise OutscoreError(finding, SUCH_AS, parameter="metric") from None
    for result in results:
        scores[result.query_id][str(result.measure)] = float(result.value)
    called = {str(parsed): written for written, parsed in measures.items()}
    rows = [Row(query, {called[key]: values.get(key, 0.0) for key in called}) for query, values in scores.items()]
    notes = []
    if len(answered) < len(judged):
        notes.append(f"{name} answers {len(answered)} of {len(judged)} judged queries; the others count as 0.")
    if len(ranked) > len(answered):
        notes.append(f"{len(ranked) - len(answered)} queries of {name} are not judged, and are left out.")
    notes.append(f"Computed by ir-measures {ir_measures.__version__} with the judgements of `{qrels}`.")
    return Evaluation.of(
        rows,
        harness="trec-run",
        system=name,
        task=stem_of(qrels),
        origin=Origin(path, digest, sum(map(len, ranked.values())), "trec-run", {"item": ("query",)}, "row"),
        directions=True,
        notes=tuple(notes),
    )


def _measures(ir_measures: ModuleType, names: Sequence[str]) -> dict[str, Any]:
    """The measures of `ir-measures` by the names that the caller gives them."""
    parsed = {}
    for name in names:
        try:
            parsed[name] = _measure(ir_measures, name)
        except (ValueError, SyntaxError, KeyError, TypeError, AssertionError, RecursionError, MemoryError):
            message = f"`{name}` is not a measure of ir-measures."
            raise OutscoreError(message, SUCH_AS, parameter="metric") from None
    return parsed


def _measure(ir_measures: ModuleType, text: str) -> Any:  # noqa: ANN401 - a measure
    """The measure called name(setting=value)@cutoff; the parser of ir-measures itself needs what Python 3.14 lacks."""
    node: Any = ast.parse(text, mode="eval").body
    settings: dict[str, Any] = {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        node, settings["@"] = node.left, ast.literal_eval(node.right)
        if not settings["@"] > 0:
            raise ValueError
    if isinstance(node, ast.Call) and not node.args:
        node, settings = node.func, settings | {part.arg: ast.literal_eval(part.value) for part in node.keywords}
    kind = ir_measures.measures.registry[ast.unparse(node)]
    measure = kind(**{kind.AT_PARAM if key == "@" else key: value for key, value in settings.items()})
    measure.validate_params()
    return measure


# trec_eval -q: a measure, a query and a number on each line; ir_measures -q writes the query first. `all` is their mean.
_MEASURE = re.compile(
    r"(?:num_(?:q|ret|rel|rel_ret|nonrel_judged_ret)|runid|relstring|map|gm_map|Rprec|bpref|gm_bpref|recip_rank|11pt_avg|infAP|G|binG"
    r"|ndcg|ndcg_rel|Rndcg|utility|rbp|rbp_resid)(?:_[\d.\-]+)?"
    r"|(?:P|recall|success|unj|map_cut|ndcg_cut|iprec_at_recall|Rprec_mult|relative_P|set_\w+)(?:_[\d.]+)?"
    r"|(?:nDCG|AP|RR|P|R|Success|Judged|ERR|RBP|SetP|SetR|SetF|SetAP|Rprec|Bpref|infAP|IPrec|Compat|NERR\d+|INST|NumRet|NumRel|NumQ)"
    r"(?:\([^)\s]*\))?(?:@[\d.]+)?"
)
_WORDS = {"runid", "relstring"}
_ALL = "all"


def _per_query(line: str) -> tuple[str, str, str] | None:
    """Measure, query and value of a line, whichever stands first."""
    fields = line.split()
    if len(fields) != 3:
        return None
    if _MEASURE.fullmatch(fields[0]):
        return fields[0], fields[1], fields[2]
    return (fields[1], fields[0], fields[2]) if _MEASURE.fullmatch(fields[1]) else None


def _value_row(document: Document, piece: Piece) -> Row | None:
    line = bytes(piece.data).decode(errors="replace")
    found = _per_query(line)
    if found is None:
        document.refuse(" is not a measure, a query and a number.", "Write the numbers again with `trec_eval -q`.", piece.line)
    measure, query, written = found
    if measure in _WORDS:
        return None
    try:
        value = float(written)
    except ValueError:
        document.refuse(f": `{written}` is not a number.", "Write the numbers again with `trec_eval -q`.", piece.line)
    if query == _ALL:
        document.header[measure] = value
        return None
    return Row(query, {measure: value})


def _by_query(document: Document, rows: list[Row]) -> list[Row]:
    """A row for each query with all of its numbers; one number twice is refused."""
    queries: dict[str, Row] = {}
    for row in rows:
        joined = queries.setdefault(row.item, row)
        if joined is not row:
            (measure,) = row.scores
            if measure in joined.scores:
                cure = "Remove one of the lines."
                document.refuse(f": `{measure}` of query `{row.item}` is already on line {joined.line}.", cure, row.line)
            joined.scores = {**joined.scores, **row.scores}
    return list(queries.values())


def _looks_per_query(peek: LogPeek) -> bool:
    lines = peek.start.decode(errors="replace").splitlines()[:3]
    found = [_per_query(line) for line in lines]
    return bool(found) and all(one is not None for one in found)


# Geometric means are no means of the numbers of queries, and trec_eval prints four decimals: no total is checked.
TREC_EVAL = LogFormat(
    harness="trec-eval",
    recognise=_looks_per_query,
    row=_value_row,
    arrange=_by_query,
    task="retrieval",
    directions=True,
    columns={"item": "query"},
    empty=("contains no number of a query", "Write it with `trec_eval -q`."),
)


# ranx: the numbers of a run (`run.scores`), by measure and query.
def _scores_by_query(document: Document) -> Iterator[Row]:
    queries: dict[str, dict[str, float]] = {}
    for measure, values in document.decode_all(dict[str, dict[str, float | None]]).items():
        for query, value in values.items():
            queries.setdefault(query, {})[measure] = number_of(value)
    return (Row(query, scores) for query, scores in queries.items())


_RANX = re.compile(
    rb'\s*\{\s*"(?:hits|hit_rate|precision|recall|f1|r-precision|bpref|rbp|mrr|map|dcg|dcg_burges|ndcg|ndcg_burges)(?:[@.][\d.]+)?'
    rb'(?:-l\d+)?"\s*:\s*\{\s*"[^"]+"\s*:\s*[-\d]'
)
RANX = LogFormat(
    harness="ranx",
    recognise=lambda peek: _RANX.match(peek.start) is not None,
    samples=_scores_by_query,
    task="retrieval",
    directions=True,
    columns={"item": "query"},
    empty=("contains no number of a query", "Write `run.scores` as JSON."),
)
