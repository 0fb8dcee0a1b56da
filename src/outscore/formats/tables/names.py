"""The usual names of columns by the part they play, and columns found by them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from outscore.core.errors import OutscoreError
from outscore.core.options import nearest
from outscore.formats.tables.cells import Records, is_scalar

# The usual names of columns, by the part they play, and names as parts of sentences.
#
# Names are grouped in tiers: a name of an earlier tier wins over those of later ones. Two names of the same tier are
# ambiguous, and the error lists them.


Tiers = tuple[tuple[str, ...], ...]

USUAL: dict[str, Tiers] = {
    "item": (
        (
            *("item_id", "question_id", "doc_id", "sample_id", "example_id", "instance_id", "segment_id", "seg_id"),
            *("problem_id", "prompt_id", "sent_id", "utterance_id", "utt_id", "line_id"),
        ),
        ("id", "uid", "uuid", "qid", "_id"),
        ("task_id",),
        ("item", "question", "example", "instance", "segment", "sentence_id", "problem", "prompt", "instruction", "user_input"),
        ("utterance", "utt", "seg", "key"),
        ("index", "idx", "nr", "line"),
        ("userid", "user_id"),
    ),
    "system": (
        ("model", "system", "model_id", "system_id", "model_name", "system_name"),
        ("submission", "method", "team"),
    ),
    "score": (
        ("score",),
        (
            *("correct", "is_correct", "accuracy", "acc", "value", "exact_match", "em", "f1", "bleu", "chrf", "comet"),
            *("ter", "wer", "cer", "loss", "nll", "ppl", "perplexity", "brier", "mae", "rmse"),
            *("pass@1", "pass_at_1", "passed", "resolved", "reward", "rating"),
        ),
    ),
    "repeat": (("epoch", "repeat", "sample", "seed", "run", "trial", "attempt", "replicate"),),
    "cluster": (
        ("cluster", "cluster_id"),
        ("document", "doc", "document_id", "conversation", "conversation_id", "dialogue", "dialogue_id", "passage_id"),
        ("fold", "fold_id", "cv_fold"),
    ),
    "dataset": (("dataset", "benchmark", "testset", "test_set"),),
}
# A table may have several of them: a comparison can be split by each.
SLICES = {"task", "category", "subtask", "subject", "subset", "domain", "language", "lang", "difficulty", "slice"}
# Next to one of these, `correct` and the like are counts instead of scores.
COUNTS = {"wrong", "incorrect", "error", "errors", "tp", "fp", "fn", "tn"}
_COUNT_WORDS = COUNTS | {"right", "correct", "in", "hits", "misses", "err", "errs"}
# Columns that are counts together, in the order of the metrics.
TRIPLES = (("tp", "fp", "fn"), ("true_positives", "false_positives", "false_negatives"))
PREDICTED: Tiers = (
    (
        *("prediction", "predicted", "pred", "predicted_label", "predicted_answer", "predicted_class", "pred_label"),
        *(
            "prediction_text",
            "model_answer",
            "system_answer",
            "model_output",
            "y_pred",
            "ypred",
            "y_hat",
            "yhat",
            "y_predicted",
        ),
    ),
    ("output", "response", "completion", "generation", "hypothesis", "actual_output"),
)
RIGHT: Tiers = (
    ("gold", "gold_label", "gold_answer", "gold_standard"),
    (
        *("target", "reference", "truth", "ground_truth", "groundtruth", "gt", "true_label", "true_class", "true_answer"),
        *("actual_label", "actual_class", "expected", "expected_output", "expected_answer", "expected_label"),
        *("correct_answer", "correct_label", "answer_key", "answerkey", "y_true", "ytrue", "y_test", "y_actual"),
    ),
    # Lists of all answers that are accepted, as question answering has them.
    ("answers", "gold_answers", "accepted_answers", "correct_answers", "answer_aliases", "aliases"),
)
# Next to a column of predictions they hold the right answers; alone they can mean both.
EITHER: Tiers = (("label", "labels", "class", "tag"), ("answer",))
# The same, but alone they may as well name a system.
BESIDE_PREDICTED: Tiers = (("y", "true", "actual"),)
# Beside right answers, the probability of one of them; and the scores that people gave.
PROBABLE: Tiers = (
    ("probability", "prob", "proba", "y_prob", "y_proba", "y_score", "p_positive", "p", "confidence", "score"),
    PREDICTED[0],
)
PEOPLE: Tiers = (
    ("human", "human_score", "human_rating", "people", "annotator", "mqm", "mqm_score", "da", "da_score"),
    ("gold", "gold_score", "rating"),
)
# Rows that sum the others up are not items.
SUMMARIES = {"mean", "average", "avg", "total", "overall", "all", "sum", "median", "std", "stdev"}
SUMMARIES |= {f"{kind}_{average}" for kind in ("macro", "micro", "weighted", "samples") for average in ("avg", "average")}
# What the index of a data frame is called that pandas wrote, and that it wrote again.
PANDAS_INDEX = {"", "Unnamed: 0"}
# The two columns of systems in a table of battles.
PAIRS = (
    *(("model_a", "model_b"), ("system_a", "system_b"), ("model_1", "model_2"), ("system_1", "system_2")),
    *(("generator_1", "generator_2"), ("assistant_a", "assistant_b"), ("player_a", "player_b"), ("left", "right")),
    *(("left_model", "right_model"), ("model_left", "model_right"), ("first", "second"), ("a", "b")),
)
# Names of items that many other columns have too: they are ids only where their values are.
_LIKE_IDS = re.compile(
    r"(.*_)?(id|uid|uuid|guid|key|hash|url)|(file|image|case|test)?_?name|query|topic|utt(erance)?(_.*)?"
    r"|sent(ence)?(_?(nr|no|number|key))?|(.*_)?file_?(name|path)|(.*_)?path"
)
# What somebody said about an item, or about an answer: it differs from row to row, and from system to system.
_REMARKS = re.compile(
    r"(.*_)?(notes?|comments?|remarks?|reason|reasoning|rationale|explanation|feedback|errors?|messages?|thoughts?|cot(_content)?"
    r"|logs?|traces?|raw|outputs?|responses?|completions?|critique|justification|model_input)"
)
_ANSWERS = {name for tier in (*PREDICTED, *RIGHT, *EITHER) for name in tier}
_WEIGHT = re.compile(r"(.*_)?weights?")
_OTHER = re.compile(
    r"(.*_)?(latency|tokens?|costs?|price|length|len|duration|runtime|elapsed|timestamp|date|year)(_(ms|s|sec|seconds|usd|chars|a|b|\d))?"
    r"|.*_(index|idx|ids?)|num_.*"
)
_SETTING = re.compile(
    r"(.*_)?(temperature|top_p|top_k|min_p|seed|(repetition|frequency|presence|length)_penalty|num_beams|beam_size|max_(new_)?tokens"
    r"|max_(output_|completion_)?tokens|n_?shots?|few_?shots?|num_fewshot|lr|learning_rate|batch_size|context_(length|window))"
    # Beside the scores of segments that `--segments` writes.
    r"|.+_influence"
)
# A value inside one of these objects is a score.
_SCORES = {"score", "scores", "metric", "metrics"}


def is_named(name: str, tiers: Tiers) -> bool:
    """Whether a column has one of these usual names."""
    key = normalize_name(name)
    return any(key in tier for tier in tiers)


def is_known(name: str) -> bool:
    """Whether a column name is a usual one."""
    return normalize_name(name) in SLICES or any(is_named(name, tiers) for tiers in USUAL.values())


def is_score(name: str) -> bool:
    """Whether a column name is a usual one of scores; of a dotted name, the object it lies in or its last part may say so."""
    *objects, last = name.split(".")
    return any(normalize_name(part) in _SCORES for part in objects[:1]) or is_named(last, USUAL["score"])


def shared_score(columns: Sequence[str]) -> str | None:
    """The usual name of scores that the columns of all systems are named after, in front or behind.

    Examples
    --------
    >>> shared_score(["gpt_correct", "llama_correct"]), shared_score(["gpt_correct", "llama"]), shared_score(["acc_a", "acc_b"])
    ('correct', None, 'acc')
    """
    return shared_word(columns, (score for tier in USUAL["score"] for score in tier))


def shared_word(columns: Sequence[str], words: Iterable[str]) -> str | None:
    """The first of these words that stands in front of the names of all of several columns, or behind all of them."""
    names = [normalize_name(column) for column in columns]
    for word in words if len(names) > 1 else ():
        if all(name.startswith(f"{word}_") for name in names) or all(name.endswith(f"_{word}") for name in names):
            return word
    return None


def names_counts(name: str) -> bool:
    """Whether a column of this name makes those beside it counts."""
    return normalize_name(name) in COUNTS


def count_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns of true positives, false positives and false negatives, where a table has all three.

    Examples
    --------
    >>> count_columns(["id", "FN", "TP", "FP"])
    ('TP', 'FP', 'FN')
    """
    by_key = {normalize_name(name): name for name in columns}
    return next((tuple(by_key[key] for key in keys) for keys in TRIPLES if by_key.keys() >= set(keys)), ())


def is_count(name: str) -> bool:
    """Whether a column of this name holds counts of decisions, of whichever system.

    Examples
    --------
    >>> [name for name in ("tp", "tp_a", "new errors", "gpt", "id") if is_count(name)]
    ['tp', 'tp_a', 'new errors']
    """
    return not _COUNT_WORDS.isdisjoint(re.split(r"[_\W]+", normalize_name(name)))


def may_be_ids(name: str) -> bool:
    """Whether a column of this name holds ids if its values are those of ids.

    Examples
    --------
    >>> [name for name in ("image_id", "query", "utt", "audio filepath", "score", "identity") if may_be_ids(name)]
    ['image_id', 'query', 'utt', 'audio filepath']
    """
    return _LIKE_IDS.fullmatch(normalize_name(name)) is not None


def may_name_items(name: str) -> bool:
    """Whether texts under this name may be the items themselves: they are neither answers nor remarks on them.

    Examples
    --------
    >>> [name for name in ("user_input", "title", "response", "judge_comment") if may_name_items(name)]
    ['user_input', 'title']
    """
    return not pairs_answers(name) and _REMARKS.fullmatch(normalize_name(name)) is None


def holds_answers(name: str) -> bool:
    """Whether a column of this name holds answers, right or predicted, and no scores."""
    return normalize_name(name) in _ANSWERS


def pairs_answers(name: str) -> bool:
    """Whether a column of this name holds answers where one beside it does."""
    return holds_answers(name) or is_named(name, BESIDE_PREDICTED)


def system_of(name: str, tiers: Tiers) -> str | None:
    """The system that a column of answers is named after, in front or behind; None if it is not named so.

    Examples
    --------
    >>> system_of("y_pred_A", PREDICTED), system_of("forest-pred", PREDICTED), system_of("y_true2", RIGHT)
    ('a', 'forest', '2')
    >>> system_of("predicted_label", PREDICTED), system_of("output_tokens", PREDICTED), system_of("target_score", RIGHT)
    (None, None, None)
    """
    key = normalize_name(name)
    if suggests_other(name):
        return None
    for word in sorted((word for tier in tiers for word in tier), key=len, reverse=True):
        found = re.fullmatch(rf"{word}_?(\d+)|{word}_(.+)|(.+)_{word}", key)
        if found is not None:
            rest = next(filter(None, found.groups()))
            return None if is_known(rest) else rest
    return None


def paired_answers(columns: Sequence[str]) -> list[tuple[str, str]]:
    """The columns of the right answers and of the predictions of each system that has both.

    Examples
    --------
    >>> paired_answers(["id", "y_true_A", "y_pred_A", "y_true_B", "y_pred_B", "gold_C"])
    [('y_true_A', 'y_pred_A'), ('y_true_B', 'y_pred_B')]
    """
    right = {system: name for name in columns if (system := system_of(name, right_names("beside"))) is not None}
    predicted = {system: name for name in columns if (system := system_of(name, PREDICTED)) is not None}
    return [(right[system], name) for system, name in predicted.items() if system in right]


def is_answer_field(column: str) -> bool:
    """Whether a column, also inside an object, holds an answer or its place among several.

    Examples
    --------
    >>> [name for name in ("expected", "doc.answerKey", "gold_index", "passage_id", "topic") if is_answer_field(name)]
    ['expected', 'doc.answerKey', 'gold_index']
    """
    last = normalize_name(column.rpartition(".")[2])
    return pairs_answers(re.sub(r"_(index|idx)$", "", last))


def right_names(prediction: str | None) -> Tiers:
    """The usual names of right answers, which are more beside a column of predictions."""
    return (*RIGHT, *EITHER) if prediction is None else (*RIGHT, *EITHER, *BESIDE_PREDICTED)


def is_setting(name: str) -> bool:
    """Whether a name, also inside an object, is that of a setting of a run, which is never a score.

    Examples
    --------
    >>> [name for name in ("temperature", "configs.repetition_penalty", "max_tokens", "quality") if is_setting(name)]
    ['temperature', 'configs.repetition_penalty', 'max_tokens']
    """
    return _SETTING.fullmatch(normalize_name(name)) is not None


def suggests_other(name: str) -> bool:
    """Whether a column name suggests something else than scores: answers, positions, ids, times, lengths, costs, weights.

    Examples
    --------
    >>> [name for name in ("gpt-4", "answer_index", "latency_ms", "output_tokens", "gold", "bleurt") if suggests_other(name)]
    ['answer_index', 'latency_ms', 'output_tokens', 'gold']
    """
    key = normalize_name(name)
    return key in _ANSWERS or is_weight(name) or _OTHER.fullmatch(key) is not None


def is_weight(name: str) -> bool:
    """Whether a column name says how much items count.

    Examples
    --------
    >>> [name for name in ("weight", "sample weight", "weights", "weighted", "overweight") if is_weight(name)]
    ['weight', 'sample weight', 'weights']
    """
    return _WEIGHT.fullmatch(normalize_name(name)) is not None


def suggest_name(word: str, known: Iterable[str]) -> str:
    """A hint for a name that does not exist: similar names, or all names."""
    names = list(known)
    longer = [name for name in names if word.lower() in name.lower()]
    if word and longer:
        return f"Did you mean {'one of ' if len(longer) > 1 else ''}{join_names(longer)}?"
    lower = {name.lower(): name for name in names}
    near = nearest(word.lower(), lower)
    if near is not None:
        return f"Did you mean `{lower[near]}`?"
    return f"There {'is' if len(names) == 1 else 'are'} {join_names(names)}."


def join_names(names: Sequence[str], most: int = 12) -> str:
    """Names as part of a sentence, at most so many of them.

    Examples
    --------
    >>> join_names(["id", "new", "old"])
    '`id`, `new` and `old`'
    """
    quoted = [f"`{name}`" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(quoted)} and {len(names) - most:,} more"
    if len(quoted) > 1:
        return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return quoted[0] if quoted else "none"


def normalize_name(name: str) -> str:
    """A column name in lower case, with underscores for blanks, hyphens, points and colons."""
    return re.sub(r": ?|[ .-]", "_", name.strip().lower())


# Finding columns by their usual names.


# On the command line --system names a system, not a column.
OPTIONS = {"system": "system-column"}
# What `compare` and its like call a part in Python where `read`, which reads one table, calls it otherwise.
KEYWORDS = {"item": "items", "system": "system_column", "cluster": "clusters", "slice": "slices"}


def naming(part: str) -> str:
    """How the column of a part is named, on the command line and in Python.

    Examples
    --------
    >>> naming("score"), naming("item")
    ('--score COLUMN (score=... in Python)', '--item COLUMN (items=..., or item=... of osc.read, in Python)')
    """
    keyword = KEYWORDS.get(part)
    python = f"{part}=..." if keyword is None else f"{keyword}=..., or {part}=... of osc.read,"
    return f"--{OPTIONS.get(part, part)} COLUMN ({python} in Python)"


class ColumnFinder:
    """Finds columns by their usual names, each at most once; columns that the caller named are taken already."""

    def __init__(self, records: Records, taken: Iterable[str], *, lists: bool = False) -> None:
        self._records, self._taken, self._lists = records, set(taken), lists

    def free(self) -> list[str]:
        """Columns that play no part yet, in the order of the file, without the unnamed index that pandas writes."""
        return [name for name in self._records.columns if name not in PANDAS_INDEX and name not in self._taken]

    def find(self, part: str, tiers: Tiers, hint: str) -> str | None:
        """The column whose name is in the earliest tier, or None; two names of one tier raise an error."""
        candidates = self.candidates(tiers)
        if len(candidates) > 1:
            message = f"{self._records.label}: {join_names(candidates)} could each be the {part} column."
            raise OutscoreError(message, hint, parameter=OPTIONS.get(part, part))
        return candidates[0] if candidates else None

    def candidates(self, tiers: Tiers) -> list[str]:
        """All columns whose names are in the earliest tier that has any."""
        flat = self._flat()
        by_tier = ([name for name in flat if normalize_name(name) in tier] for tier in tiers)
        found = next(filter(None, by_tier), [])
        if len(found) > 1:
            # A name that appears twice chooses nothing.
            self._records.refuse_repeated(found)
        return found

    def take(self, part: str, tiers: Tiers, hint: str) -> str | None:
        """The same, and the column is no longer free."""
        column = self.find(part, tiers, hint)
        if column is not None:
            self._taken.add(column)
        return column

    def claim(self, column: str) -> None:
        """Say that a column plays a part."""
        self._taken.add(column)

    def take_all(self, names: Container[str]) -> tuple[str, ...]:
        """All free columns with one of these names."""
        columns = tuple(name for name in self._flat() if normalize_name(name) in names)
        self._taken.update(columns)
        return columns

    def _flat(self) -> list[str]:
        samples = self._records.sample
        return [name for name in self.free() if not is_nested(samples[name]) or (self._lists and is_list(samples[name]))]


def is_list(sample: Sequence[object]) -> bool:
    """Whether a column holds lists of plain values, by its first value."""
    return listed(next((value for value in sample if value is not None), None)) is not None


def listed(value: object) -> list[object] | None:
    """The values of a list of plain ones, or of an object that holds it beside their places, as SQuAD's answers do.

    Examples
    --------
    >>> listed(["a", "b"]), listed({"text": ["a"], "answer_start": [3]}), listed("a")
    (['a', 'b'], ['a'], None)
    """
    inner = value.get("text") if isinstance(value, Mapping) else value
    return inner if isinstance(inner, list) and all(map(is_scalar, inner)) else None


def is_nested(sample: Sequence[object]) -> bool:
    """Whether a column holds lists or objects, by its first value."""
    return not is_scalar(next((value for value in sample if value is not None), None))
