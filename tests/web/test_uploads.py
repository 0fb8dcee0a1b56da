"""An upload in several requests: nothing is computed from a part of it."""

from __future__ import annotations

import pytest

FILES = [(f"system{i}.txt", "".join(f"{(i + k) % 3}\n" for k in range(12)).encode()) for i in range(5)]


def send(page, files, **fields):
    return page.post("/api/files", files=[("file", file) for file in files], data=fields)


def ids_of(answer):
    assert answer.status_code == 201, answer.text
    return [file["id"] for file in answer.json()["files"]]


def test_nothing_is_computed_before_all_files_are_there(page):
    ids = ids_of(send(page, FILES[:2], total=5))
    refused = page.start("rank", {"files": ids})
    assert refused.status_code == 409
    assert refused.json()["error"] == "Only 2 of 5 files of this upload have arrived."
    # Neither from one of them, nor beside files that are complete.
    assert page.start("rank", {"files": [ids[0], *ids_of(send(page, FILES[2:]))]}).status_code == 409
    ids += ids_of(send(page, FILES[2:4], total=5, first=ids[0]))
    assert page.start("rank", {"files": ids}).status_code == 409
    ids += ids_of(send(page, FILES[4:], total=5, first=ids[0]))
    job = page.run("rank", {"files": ids})
    assert job["state"] == "done"
    assert len(page.get(f"/api/results/{job['result']}").json()["systems"]) == 5
    # What is removed later is no longer missing.
    page.delete(f"/api/files/{ids[4]}")
    assert page.run("rank", {"files": ids[:4]})["state"] == "done"
    assert send(page, FILES[4:], total=5, first=ids[0]).status_code == 409


@pytest.mark.parametrize("fields", [{"total": 1}, {"total": 5, "first": "nowhere"}, {"total": 5, "first": ""}])
def test_files_of_no_upload_are_refused(page, fields):
    assert send(page, FILES[:2], **fields).status_code == 409


@pytest.mark.parametrize("total", ["x", "-1", "1.5", "", "9" * 40, "٣"])
def test_a_total_is_a_number(page, total):
    assert send(page, FILES[:2], total=total).status_code == 400


def test_an_upload_that_was_given_up_is_forgotten_with_its_files(open_page):
    with open_page() as page:
        (first, _) = ids_of(send(page, FILES[:2], total=5))
        page.service.store.sweep()
        assert list(page.service.store.awaited) == [first]
        for upload in page.service.store.uploads:
            page.delete(f"/api/files/{upload.id}")
        page.service.store.sweep()
        assert page.service.store.awaited == {}
