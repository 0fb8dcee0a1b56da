"""Coreference across documents: one document of the file holds them all, and topics are what is swapped."""

from __future__ import annotations

import pytest
from tests.coref_documents import write_documents

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_chains

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


def rewritten(source, path, columns):
    """The annotation of a file in other columns, made of its own ones and of the number of a token in its sentence."""
    lines, number = [], 0
    for line in source.read_text().splitlines():
        cells = line.split()
        number = 0 if not cells or line.startswith("#") else number + 1
        lines.append(line if not number else "\t".join(columns(cells, number)))
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.mark.parametrize("documents", [1, 6])
def test_a_number_of_a_token_is_no_document(tmp_path, documents):
    """SemEval-2010 counts the tokens of a sentence in its first column; the answer does not depend on the columns."""
    made = write_documents(tmp_path, documents=documents, phrases=20)
    as_conll, as_semeval = (
        {name: rewritten(path, tmp_path / f"{name}.{kind}", columns) for name, path in made.items()}
        for kind, columns in (
            ("conll12", lambda cells, number: (cells[0], "0", str(number - 1), cells[3], cells[-1])),
            ("semeval", lambda cells, number: (str(number), cells[3], cells[-1])),
        )
    )
    ours, theirs = (
        diff(files["gold"], [files[name] for name in ("plain", "better")], task="coref") for files in (as_conll, as_semeval)
    )
    assert theirs.pairs == ours.pairs
    assert theirs.notes == ours.notes
    assert theirs.pairs[0].p.n == documents
    assert read_chains(as_semeval["gold"]).words.forms.names == read_chains(as_conll["gold"]).words.forms.names


def test_several_documents_of_a_file_are_not_overridden_by_its_first_column(tmp_path):
    lines = {name: [] for name in ("gold", "old", "new")}
    for document in "abc":
        for name, chains in (("gold", "1111"), ("old", "1122"), ("new", "1111")):
            tokens = [f"{document}{i % 2} 0 {i} w ({chain})" for i, chain in enumerate(chains)]
            lines[name] += [f"#begin document ({document}); part 000", *tokens, "#end document"]
    for name, text in lines.items():
        (tmp_path / f"{name}.conll").write_text("\n".join([*text, ""]))
    found = compared({name: tmp_path / f"{name}.conll" for name in lines})
    assert (found.primary_pairs[0].p.n, [note for note in found.notes if note.kind == "reading"]) == (3, [])
