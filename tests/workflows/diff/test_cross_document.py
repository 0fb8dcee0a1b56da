"""Coreference across documents: one document of the file holds them all, and topics are what is swapped."""

from __future__ import annotations

import pytest

from outscore import diff
from outscore.core.errors import OutscoreError

TOPICS = range(1, 9)


def write(path, chains, *, name="{topic}_{number}{kind}", joined=True):
    """Eight topics of two documents with two mentions each; `chains` gives the chain of a mention."""
    lines = ["#begin document (all); part 000"]
    for topic in TOPICS:
        for number, kind in ((1, "ecb"), (2, "ecbplus")):
            document = name.format(topic=topic, number=number, kind=kind)
            if not joined:
                lines += ["#end document", f"#begin document ({document})"]
            for token in range(2):
                lines.append(f"{document} 0 {token} quake NN ({chains(topic, number, token)})")
            lines.append("")
    if not joined:
        lines = lines[2:]
    path.write_text("\n".join([*lines, "#end document", ""]))
    return path


@pytest.fixture
def files(tmp_path):
    """A chain per topic; the old system never joins the documents of a topic, and the new one does."""
    return {
        "gold": write(tmp_path / "gold.conll", lambda topic, _n, _t: topic),
        "old": write(tmp_path / "old.conll", lambda topic, number, _t: 10 * topic + number),
        "new": write(tmp_path / "new.conll", lambda topic, _n, _t: topic),
    }


def compared(files, **asked):
    return diff(files["gold"], {name: files[name] for name in ("old", "new")}, task="coref", **asked)


def test_topics_are_swapped_and_said(files):
    found = compared(files)
    pair = found.primary_pairs[0]
    # All eight topics favour the new system: two of 256 swaps are as extreme.
    assert (pair.clusters, pair.p.value) == (8, 2 / 256)
    assert found.settings["cluster"] == "topic"
    assert "swapped by topic" in pair.verdict
    assert "On 8 topics" in pair.sentence
    said = [note.text for note in found.notes if note.kind == "reading"]
    assert len(said) == 1
    assert "its first column names 8 topics, such as `1`, and each topic is swapped as one" in said[0]


@pytest.mark.parametrize(("cluster", "clusters"), [("topic", 8), ("subtopic", 16), ("document", 16), ("sentence", 16)])
def test_scores_do_not_depend_on_what_is_swapped(files, cluster, clusters):
    """Chains that run through several clusters are shared out: their sums stay those of the whole file."""
    found, by_topic = compared(files, cluster=cluster), compared(files)
    assert found.scores["new"]["b3"].f1 == pytest.approx(1)
    for name, score in by_topic.scores["old"].items():
        assert getattr(found.scores["old"][name], "f1", found.scores["old"][name]) == pytest.approx(getattr(score, "f1", score))
    assert "swapped by " + cluster in found.primary_pairs[0].verdict
    warned = [note.text for note in found.notes if "span several" in note.text]
    # Gold's and the new system's eight chains have a document in each sub-topic; no chain leaves its topic.
    assert [text[:12] for text in warned] == ([] if cluster == "topic" else ["16 of 32 cha"])
    assert found.primary_pairs[0].metrics[0].p.value <= 1
    assert clusters >= found.primary_pairs[0].clusters


def test_ids_in_folders(tmp_path):
    paths = {
        name: write(tmp_path / f"{name}.conll", chain, name="t{topic}/{kind}/d{number}")
        for name, chain in (("gold", lambda t, n, _: 10 * t + n), ("old", lambda *_: 1), ("new", lambda t, n, _: 10 * t + n))
    }
    assert compared(paths).settings["cluster"] == "topic"
    parts = compared(paths, cluster="subtopic", slices="subtopic").primary_pairs[0]
    assert {part.value for part in parts.slices if part.column == "subtopic"} >= {"t1/ecb", "t8/ecbplus"}


def test_documents_of_their_own_stay_the_default(tmp_path):
    paths = {name: write(tmp_path / f"{name}.conll", lambda *_: 1, joined=False) for name in ("gold", "old", "new")}
    found = compared(paths)
    assert found.settings["cluster"] == "document"
    assert not [note for note in found.notes if note.kind == "reading"]
    assert compared(paths, cluster="topic").settings["cluster"] == "topic"


@pytest.mark.parametrize(
    ("name", "cluster", "message"),
    [
        ("d{topic}{number}", "topic", r"Document `d11` names no topic\. Give --cluster document or sentence\."),
        (
            "nw/d{topic}{number}",
            "subtopic",
            r"Document `nw/d11` names no subtopic\. Give --cluster topic, document or sentence\.",
        ),
        ("d{topic}{number}", "none", "Mentions cannot be clustered by `none`"),
    ],
)
def test_ids_without_topics_are_refused(tmp_path, name, cluster, message):
    paths = {system: write(tmp_path / f"{system}.conll", lambda *_: 1, name=name) for system in ("gold", "old", "new")}
    with pytest.raises(OutscoreError, match=message):
        compared(paths, cluster=cluster)
