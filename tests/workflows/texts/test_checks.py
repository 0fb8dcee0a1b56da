"""What `compare_texts` is given: paths and lists, labels, and parameters that do not exist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outscore import compare_texts
from outscore.core.errors import OutscoreError
from outscore.formats.segments import read_segments
from outscore.metrics.cache import StatisticsCache

pytest.importorskip("sacrebleu")

REFERENCE = [f"the cat number {i} sat on the old mat" for i in range(6)]
A, B = REFERENCE, [line.replace("old ", "") for line in REFERENCE]


def compared(a=A, b=B, reference=REFERENCE, **asked):
    return compare_texts(a, b, reference, **{"metrics": ["wer"], "cache": StatisticsCache(None), **asked})


@pytest.fixture
def files(tmp_path):
    found = {}
    for name, lines in {
        "a": A,
        "b": B,
        "ref": REFERENCE,
        "docs": list("xxyyzz"),
        "blank": ["x", "", "", "y", "y", "y"],
    }.items():
        found[name] = tmp_path / f"{name}.txt"
        found[name].write_text("\n".join(lines) + "\n")
    return found


class TestTexts:
    def test_a_list_of_paths_is_several_texts(self, files):
        runs = compared([files["a"], files["a"]], [files["b"], files["b"]], [files["ref"]])
        assert runs.comparisons[0].runs.a == [0.0, 0.0]
        one = compared(files["a"], str(files["b"]), files["ref"], names=("A", "B"))
        # A result says from how many files it was read.
        alike = [[replace(c, reading=None) for c in found.comparisons] for found in (one, compared())]
        assert alike[0] == alike[1]

    def test_names_of_files_in_a_list_are_not_taken_for_segments(self, files):
        with pytest.raises(OutscoreError, match="`A` is a list of strings, which are read as segments") as refused:
            compared([str(files["a"]), str(files["a"])], B)
        assert "pathlib.Path" in refused.value.hint

    def test_strings_in_a_list_are_segments(self):
        assert compared(["no file"], ["none either"], ["no file"]).comparisons[0].n == 1


class TestLabels:
    def test_documents_from_a_file(self, files):
        from_list = compared(documents=list("xxyyzz"))
        assert from_list.comparisons[0].clusters == 3
        assert compared(documents=files["docs"]) == compared(documents=str(files["docs"])) == from_list

    @pytest.mark.parametrize("label", [None, float("nan"), "", " \t"])
    def test_every_segment_has_a_document(self, label):
        with pytest.raises(OutscoreError, match="`documents` has no label at segment 2"):
            compared(documents=["x", label, "y", "y", "z", "z"])
        with pytest.raises(OutscoreError, match="`topic` has no label at segment 2"):
            compared(buckets={"topic": ["x", label, "y", "y", "z", "z"]})

    def test_a_blank_line_is_named(self, files):
        with pytest.raises(OutscoreError, match=r"blank.txt`?, line 2: no label"):
            compared(documents=files["blank"])
        with pytest.raises(OutscoreError, match=r"blank.txt`?, line 2: no label"):
            compared(buckets={"topic": read_segments(files["blank"])})

    def test_buckets_as_on_the_command_line(self, files):
        by_length = compared(buckets="length").comparisons[0].buckets
        assert [(bucket.column, bucket.value) for bucket in by_length] == [("reference length", "1-10")]
        by_file = compared(buckets=files["docs"])
        assert by_file == compared(buckets=[str(files["docs"])]) == compared(buckets={"docs": files["docs"]})
        assert [bucket.value for bucket in by_file.comparisons[0].buckets] == ["x", "y", "z"]
        both = compared(buckets=["length", files["docs"]]).comparisons[0].buckets
        assert {bucket.column for bucket in both} == {"reference length", "docs"}

    def test_numbers_are_labels(self):
        found = compared(buckets={"topic": np.arange(6) % 2}).comparisons[0].buckets
        assert [bucket.value for bucket in found] == ["0", "1"]

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"documents": 7}, "`documents` is 7."),
            ({"documents": [["x"]] * 6}, "`documents` has several labels at segment 1."),
            ({"buckets": 7}, "`buckets` is 7."),
            ({"buckets": {"topic": 7}}, "`topic` is 7."),
            ({"buckets": ["length", "length"]}, "`buckets` names `reference length` twice."),
        ],
    )
    def test_other_labels_are_refused(self, asked, said):
        with pytest.raises(OutscoreError) as refused:
            compared(**asked)
        assert refused.value.message == said


class TestParameters:
    @pytest.mark.parametrize("name", ["metric", "resamples", "clusters", "labels", "documnets"])
    def test_unknown_ones_are_no_part_of_the_signature(self, name):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            compared(**{name: "x"})

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({"names": ("a",)}, "`names` is ('a',)."),
            ({"jobs": "x"}, "`jobs` is 'x'."),
            ({"jobs": 1.5}, "`jobs` is 1.5."),
            ({"cache": 7}, "`cache` is 7."),
            ({"metrics": [7]}, "`metrics` is [7]."),
            ({"alpha": 2}, "`alpha` is 2."),
            ({"test": "anova"}, "There is no test `anova`."),
        ],
    )
    def test_values_that_make_no_sense(self, asked, said):
        with pytest.raises(OutscoreError) as refused:
            compared(**asked)
        assert refused.value.message == said

    def test_metrics_in_one_string_are_shown_as_a_list(self):
        with pytest.raises(OutscoreError) as refused:
            compared(metrics="bleu, ter")
        assert refused.value.hint == 'Give a list of names: ["bleu", "ter"].'

    def test_a_margin_speaks_of_the_margin(self):
        with pytest.raises(OutscoreError, match="takes a margin or a `delta` only for a mean") as refused:
            compared(b=[*B[:3], *A[3:]], metrics=["bleu", "ter"], margin=2.0)
        assert "-2" not in refused.value.message

    def test_a_folder_keeps_the_statistics(self, tmp_path):
        compared(cache=str(tmp_path))
        assert len(list(tmp_path.glob("*.npy"))) == 2
        assert compared(cache=Path(tmp_path)) == compared()

    def test_units_of_segments(self):
        found = compared(unit_size=2).comparisons[0]
        assert (found.n, found.design.unit_size) == (3, 2)
