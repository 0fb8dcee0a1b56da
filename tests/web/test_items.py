"""The items behind a comparison: both scores, and the texts beside them, whatever the files are."""

from __future__ import annotations

import numpy as np

WIDE = "id,question,new,old\nq1,Why?,1,0\nq2,How?,0,0\nq3,Who?,1,1\n"
LONG = "id,system,score,answer text\nq1,new,1,yes\nq2,new,0,no\nq2,old,1,maybe\nq1,old,0,never\n"


def paste(page, **texts):
    return [
        page.post("/api/text", json={"name": name.replace("_", "."), "text": text}).json()["id"] for name, text in texts.items()
    ]


def items(page, files, **settings):
    return page.post("/api/items", json={"command": "compare", "files": {"files": files}, "settings": settings})


def test_a_wide_table_shows_its_texts(page):
    found = items(page, paste(page, wide_csv=WIDE)).json()
    assert found["systems"] == ["new", "old"]
    assert found["total"] == 3
    assert found["columns"] == [{"name": "question", "system": ""}]
    assert found["items"][0] == {"id": "q1", "a": 1.0, "b": 0.0, "texts": ["Why?"]}


def test_the_texts_of_each_system_are_matched_by_id(page):
    found = items(page, paste(page, long_csv=LONG)).json()
    assert found["columns"] == [{"name": "answer text", "system": "new"}, {"name": "answer text", "system": "old"}]
    assert {one["id"]: one["texts"] for one in found["items"]} == {"q1": ["yes", "never"], "q2": ["no", "maybe"]}


def test_rows_without_ids_are_counted(page):
    found = items(page, paste(page, new_txt="1\n0\n1\n", old_txt="0\n0\n1\n")).json()
    assert [(one["id"], one["a"], one["b"]) for one in found["items"]] == [("row 1", 1, 0), ("row 2", 0, 0), ("row 3", 1, 1)]
    assert found["columns"] == []


def test_two_files_with_ids_are_matched(page):
    first = "id,score,output\na,1,x\nb,0,y\n"
    second = "id,score,output\nb,1,z\na,1,x\n"
    found = items(page, paste(page, new_csv=first, old_csv=second)).json()
    assert found["columns"] == [{"name": "output", "system": "new"}, {"name": "output", "system": "old"}]
    assert found["items"][1] == {"id": "b", "a": 0.0, "b": 1.0, "texts": ["y", "z"]}


def test_counts_have_no_items(page):
    answer = items(page, paste(page, counts_txt="3 1 2 2\n4 0 1 3\n2 2 2 2\n"))
    assert answer.status_code == 422
    assert "no single score" in answer.json()["error"]


def test_a_ranking_has_no_items_of_its_own(page):
    answer = page.post("/api/items", json={"command": "rank", "files": {"files": paste(page, wide_csv=WIDE)}})
    assert answer.status_code == 422


def listed(page, command, settings=None, **parts):
    answer = page.post("/api/items", json={"command": command, "files": parts, "settings": settings or {}})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_rows_of_one_score_have_their_texts(page):
    files = paste(page, new_csv="id,score,topic,question\nq1,1,law,Why?\nq2,0,news,How?\nq3,1,law,Who?\n")
    found = listed(page, "score", {"slice": "topic"}, files=files)
    assert found["systems"] == ["new"]
    assert [(one["id"], one["a"], one["b"]) for one in found["items"]] == [("q1", 1, None), ("q2", 0, None), ("q3", 1, None)]
    topics = [column["name"] for column in found["columns"]].index("topic")
    assert [one["texts"][topics] for one in found["items"]] == ["law", "news", "law"]


def test_several_systems_that_are_scored_have_their_scores_side_by_side(page):
    table = "id,x,y,z\nq1,1,0,1\nq2,0,0,1\nq3,1,1,0\n"
    found = listed(page, "score", files=paste(page, wide_csv=table))
    assert found["columns"] == [{"name": "score", "system": name} for name in "xyz"]
    assert [one["texts"] for one in found["items"]] == [["1", "0", "1"], ["0", "0", "1"], ["1", "1", "0"]]


def test_battles_name_their_systems_and_the_winner(page):
    rows = "question_id,model_a,model_b,winner\nq1,x,y,model_a\nq1,y,x,model_a\nq2,x,y,tie\n"
    found = listed(page, "prefer", files=paste(page, battles_csv=rows))
    assert [column["name"] for column in found["columns"]][:2] == ["systems", "winner"]
    assert [one["texts"][:2] for one in found["items"]] == [["x and y", "x"], ["x and y", "y"], ["x and y", "tie"]]


def test_segments_have_their_reference_and_both_outputs(page):
    new, old, reference = paste(page, new_txt="a b\nc d\n", old_txt="a x\nc d\n", reference_txt="a b\nc e\n")
    found = listed(page, "texts", files=[new, old], reference=[reference])
    assert [one["texts"] for one in found["items"]] == [["a b", "a b", "a x"], ["c e", "c d", "c d"]]
    assert found["items"][0]["id"] == "segment 1"


def test_a_refusal_brings_its_cures(page):
    repeated = "id,new,old\na,1,0\na,0,1\nb,1,1\n"
    answer = items(page, paste(page, repeated_csv=repeated))
    cures = answer.json()["cures"]
    assert {"setting": "duplicates", "value": "mean"} in cures
    assert items(page, paste(page, repeated_csv=repeated), duplicates="mean").json()["total"] == 2


def test_several_systems_have_their_slices_and_say_who_scored_what(page):
    first, second = "id,score,topic\nq1,1,law\nq2,0,news\n", "id,score,topic\nq2,1,news\nq3,1,law\n"
    found = listed(page, "score", {"slice": "topic"}, files=paste(page, new_csv=first, old_csv=second))
    topics = [column["name"] for column in found["columns"]].index("topic")
    assert [(one["id"], one["of"], one["texts"][topics]) for one in found["items"]] == [
        ("q1", ["new"], "law"),
        ("q2", ["new", "old"], "news"),
        ("q3", ["old"], "law"),
    ]


def test_battles_say_who_met_and_which_position_won(page):
    rows = "question_id,model_a,model_b,winner\nq1,x,y,model_a\nq1,y,x,model_b\nq2,y,x,tie\n"
    found = listed(page, "prefer", files=paste(page, battles_csv=rows))
    position = [column["name"] for column in found["columns"]].index("position")
    assert [one["of"] for one in found["items"]] == [["x", "y"], ["y", "x"], ["y", "x"]]
    assert [one["texts"][position] for one in found["items"]] == ["shown first", "shown second", "tie"]


def test_segments_have_what_the_histograms_of_each_metric_count(page):
    lines = [
        f"the {word} sat on the mat number {i}"
        for i, word in enumerate(["cat", "dog", "hen", "fox", "owl", "rat", "bee", "ant"])
    ]
    new = "\n".join(lines)
    old = "\n".join(line.replace("the", "a") if i % 2 else line for i, line in enumerate(lines))
    files = paste(page, new_txt=new, old_txt=old, reference_txt=new, documents_txt="\n".join("aabbccdd"))
    parts = {"files": files[:2], "reference": files[2:3]}
    for further, units in (({}, 8), ({"documents": files[3:]}, 4)):
        found = listed(page, "texts", {"metric": ["bleu", "ter"]}, **parts, **further)
        job = page.run("texts", {**parts, **further}, metric=["bleu", "ter"])
        saved = page.get(f"/api/results/{job['result']}").json()
        for c in saved["comparisons"]:
            drawn = c["pictures"]["histograms"]["difference"]
            each = [one["by"][c["metric"]][2] for one in found["items"]]
            # Of segments that are equally long TER is a mean, whatever they are swapped with.
            alike = 8 // (8 if c["metric"] == "TER" else units)
            assert each[::alike] == each[alike - 1 :: alike]
            assert np.histogram(each[::alike], drawn["edges"])[0].tolist() == drawn["counts"]
