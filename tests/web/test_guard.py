"""Who may ask, how much, and what every answer carries."""

from __future__ import annotations

import asyncio
import io
import re
import socket
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import JSONResponse
from tests.variants import a_few

from outscore.web.app import POLICY, guard
from outscore.web.messages import HTTPProblem
from outscore.web.settings import Settings
from outscore.web.store import safe_name

SESAME = "sesame"
STRANGERS = ["evil.example", "evil.example:8370", "127.0.0.1.evil.example", "localhost@evil.example", "a#127.0.0.1", ""]
STRANGERS += [
    "10.0.0.7",
    "localhost.",
    "127.0.0.1:8370:80",
    "127.1",
    "0x7f.1",
    "[::2]:8370",
    "[::1].evil.example",
    "[::1]@evil.example",
]


@pytest.mark.parametrize("host", STRANGERS)
def test_another_host_is_refused(page, host):
    answer = page.get("/api/openapi.json", headers={"host": host})
    assert answer.status_code == 421
    assert set(answer.json()) == {"error", "hint", "setting", "cures"}


@pytest.mark.parametrize("host", ["127.0.0.1:8370", "localhost:8370", "localhost", "[::1]:8370", "LOCALHOST"])
def test_this_host_is_served(page, host):
    assert page.get("/api/options/plan", headers={"host": host}).status_code == 200


def test_open_to_others_means_addresses_and_own_names():
    settings = Settings(host="0.0.0.0")  # noqa: S104 - compared only
    assert settings.admits("192.168.1.5")
    assert settings.admits(socket.gethostname())
    assert not settings.admits("evil.example")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8370"},
        {"origin": "null"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/jobs"), ("POST", "/api/files"), ("DELETE", "/api/files/x"), ("PUT", "/api/x")]
)
def test_another_page_may_change_nothing(page, method, path, headers):
    answer = page.request(method, path, headers=headers)
    assert answer.status_code == 403
    assert "evil" not in answer.text


@pytest.mark.parametrize("headers", [{}, {"origin": "http://127.0.0.1:8370"}, {"sec-fetch-site": "same-origin"}])
def test_the_page_itself_and_programs_may(page, headers):
    assert page.post("/api/plan", json={"effect": 0.1}, headers=headers).status_code == 200


def test_only_who_knows_the_token_is_let_in(open_page):
    with open_page(token=SESAME, port=8370) as page:
        for path in ("/api/examples", "/api/openapi.json", "/?token=", "/?token=wrong", "/compare?token=sesame&token=wrong"):
            answer = page.get(path)
            assert answer.status_code == 403, path
            assert "sesame" not in answer.text
        for method, path in (("POST", "/api/jobs"), ("POST", "/api/files?token=sesame"), ("DELETE", "/api/files/x")):
            assert page.request(method, path).status_code == 403
        assert page.get("/api/examples", headers={"authorization": "Bearer sesame2"}).status_code == 403
        assert page.get("/api/examples", headers={"authorization": "Bearer sesame"}).status_code == 200
        assert "outscore serve" in page.get("/api/examples", headers={"accept": "text/html"}).text


def test_every_request_for_anything_but_an_empty_page_wants_the_token(open_page):
    """Whatever the interface has, now and later; a cookie is no way in, since every server of this machine would get it."""
    with open_page(token=SESAME) as page:
        routes = [(method, route.path) for route in page.app.routes for method in route.methods]
        of_interface = [(method, path) for method, path in routes if path.startswith("/api/")]
        assert len(of_interface) > 25
        for method, path in of_interface:
            cookies = {"cookie": "; ".join(f"{name}=sesame" for name in ("token", "outscore-8370", "authorization"))}
            assert (
                page.request(method, path.format(id="x", command="plan", name="x", form="json"), headers=cookies).status_code
                == 403
            )
        # What anybody may see holds nothing but words of ours.
        for path in {path for _, path in routes} - {path for _, path in of_interface}:
            for name in ("compare", "page.css"):
                assert "set-cookie" not in page.get(path.format(name=name)).headers


def test_the_printed_address_opens_an_empty_page(open_page):
    with open_page(token=SESAME, port=8370) as page:
        answer = page.get("/?token=sesame", follow_redirects=False)
        assert (answer.status_code, "set-cookie" in answer.headers) == (200, False)
        assert answer.text == page.get("/").text
        assert answer.headers["content-security-policy"] == POLICY
        assert page.post("/api/plan", json={"effect": 0.1}).status_code == 403
        known = {"authorization": "Bearer sesame"}
        assert page.post("/api/plan", json={"effect": 0.1}, headers=known).status_code == 200
        evil = {**known, "origin": "http://evil.example"}
        assert page.post("/api/plan", json={"effect": 0.1}, headers=evil).status_code == 403


def test_others_do_not_use_up_the_jobs_of_the_owner(open_page, pair):
    with open_page(token=SESAME, max_jobs_per_client=1) as page:
        asked = {"command": "compare", "files": {}, "settings": {}}
        assert [page.post("/api/jobs", json=asked).status_code for _ in range(3)] == [403] * 3
        page.client.headers["authorization"] = "Bearer sesame"
        assert page.run("compare", {"files": pair})["state"] == "done"


def test_a_body_that_dawdles_is_abandoned():
    """A byte now and then is no silence, and keeps a connection for as long as its sender likes."""
    said = []

    async def receive():
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message):
        said.append(message)

    async def app(scope, receive, send):
        del scope
        try:
            while True:
                await receive()
        except HTTPProblem as problem:
            await JSONResponse({}, problem.status)({"type": "http"}, receive, send)

    scope = {"type": "http", "method": "POST", "path": "/api/plan", "query_string": b""}
    scope["headers"] = [(b"host", b"localhost"), (b"content-length", b"9999")]
    asyncio.run(asyncio.wait_for(guard(app, Settings(idle_timeout=0.2))(scope, receive, send), 10))
    assert said[0]["status"] == 408


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_json_is_called_json(page, kind):
    headers = {} if kind is None else {"content-type": kind}
    answer = page.post("/api/plan", content=b'{"effect": 0.1}', headers=headers)
    assert (answer.status_code, answer.json()["hint"]) == (415, "Send it with content-type: application/json.")
    called = {"content-type": "application/json; charset=utf-8"}
    assert page.post("/api/plan", content=b'{"effect": 0.1}', headers=called).status_code == 200


def test_too_large_a_body_is_refused(open_page):
    with open_page(max_upload=1000, max_body=100) as page:
        assert page.post("/api/files", files={"file": ("a.txt", b"1\n" * 1000)}).status_code == 413
        assert page.post("/api/text", json={"name": "a", "text": "1" * 200}).status_code == 413
        called = {"content-type": "application/json"}
        assert page.post("/api/plan", content=(b" " * 60 for _ in range(5)), headers=called).status_code == 413
        assert page.post("/api/plan", content=b"{}", headers={**called, "content-length": "-1"}).status_code == 400
        # And it goes on.
        assert page.post("/api/files", files={"file": ("a.txt", b"1\n")}).status_code == 201


def test_no_more_is_held_than_allowed(open_page):
    with open_page(max_bytes=1000) as page:
        page.upload({"a.txt": b"1\n" * 400})
        answer = page.post("/api/files", files={"file": ("b.txt", b"1\n" * 400)})
        assert answer.status_code == 413
        assert "stored" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/openapi.json", "/api/nothing", "/nothing", "/api/files/x"])
def test_every_answer_carries_the_headers(page, path):
    headers = page.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert ("no-store" in headers.get("cache-control", "")) == path.startswith("/api/")
    assert not re.search("unsafe", POLICY)
    assert "access-control-allow-origin" not in headers


def test_refused_requests_carry_them_too(page):
    assert page.get("/", headers={"host": "evil.example"}).headers["content-security-policy"] == POLICY


TRICKS = [
    "/api/files/../../etc/passwd",
    "/api/files/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/api/files/..%5c..%5cwindows",
    "/api/results/../../../etc/passwd",
    "/api/results/%2Fetc%2Fpasswd/download.json",
    "/api/results/x/charts/..%2f..%2fresult.svg",
    "/api/results/%00/charts",
    "/static/..%2f..%2fapi.py",
    "/static/../api.py",
    "/static/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "/etc/passwd",
]


@pytest.mark.parametrize("path", TRICKS)
def test_paths_lead_nowhere(page, path):
    answer = page.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "tail",
    a_few(["download.py", "download.", "download.json%2f..%2f..", "charts/..%2fresult.json", "charts/x.svg", "files"], 2),
)
def test_paths_inside_a_result_lead_nowhere(page, pair, tail):
    job = page.run("compare", {"files": pair})
    assert page.get(f"/api/results/{job['result']}/{tail}").status_code == 404


@given(st.text())
def test_names_stay_in_their_folder(name):
    safe = safe_name(name)
    assert safe
    assert not re.search(r"[/\\\x00-\x1f]", safe)
    assert not safe.startswith((".", "-", "~"))
    assert len(safe.encode()) <= 240
    assert safe_name(safe) == safe


@pytest.mark.parametrize("name", ["scores.csv", "new model (2).tsv.gz", "größe.txt", "モデル.jsonl", "<script>alert(1).csv"])
def test_usual_names_stay(name):
    assert safe_name(name) == name


@pytest.mark.parametrize("host", ["127.0.0.2", "127.0.0.1", "::1", "localhost"])
def test_this_machine_alone_is_local(host):
    settings = Settings(host=host)
    assert settings.is_local
    assert settings.admits(host)
    assert not settings.admits("192.168.1.5")
    assert not Settings(host="::").is_local


def test_methods_cannot_be_smuggled(page, pair):
    file = page.upload(pair)[0]["id"]
    for name in ("x-http-method-override", "x-method-override", "x-http-method"):
        assert page.get(f"/api/files/{file}", headers={name: "DELETE"}).status_code == 200
        assert page.post(f"/api/files/{file}", headers={name: "DELETE"}).status_code == 405
    assert page.get(f"/api/files/{file}", params={"_method": "DELETE"}).status_code == 200
    assert page.request("TRACE", "/").status_code == 405
    assert page.get(f"/api/files/{file}").status_code == 200


def test_heads_and_ranges(page, pair):
    job = page.run("compare", {"files": pair})
    path = f"/api/results/{job['result']}"
    whole = page.get(path)
    head = page.head(path)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(whole.content)))
    part = page.get(path, headers={"range": "bytes=0-9"})
    assert (part.status_code, part.content) == (206, whole.content[:10])
    for range_ in ("bytes=-1-", "bytes=9999999999-", "bytes=" + "0-0," * 5_000, "bytes=a-b", "lines=1-2"):
        answer = page.get(path, headers={"range": range_})
        assert answer.status_code in (200, 206, 400, 416)
        assert len(answer.content) <= 2 * len(whole.content)
    assert page.head("/compare").status_code == 200
    assert page.head("/api/jobs").status_code == 405


NAMES = [
    b'a\\"b.txt',
    b"x%0d%0aset-cookie: a=b.txt",
    b"..%2f..%2fetc%2fpasswd",
    b"\xff\xfe.txt",
    b"\x00.txt",
    "\u202etxt.exe".encode(),
    b"a" * 5_000 + b".txt",
    b"CON",
    b"..",
    b"",
]


@pytest.mark.parametrize("name", range(len(NAMES)))
def test_names_of_uploads_are_only_names(page, name):
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="' + NAMES[name] + b'"\r\n\r\n1\n2\n\r\n--x--\r\n'
    answer = page.post("/api/files", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert "set-cookie" not in answer.headers
    if answer.status_code == 400:
        assert answer.json()["error"].endswith(".")
        return
    file = answer.json()["files"][0]
    assert file["name"] == safe_name(file["name"])
    job = page.run("rank", {"files": [file["id"]]})
    assert "set-cookie" not in page.get(f"/api/jobs/{job['id']}").headers
    stored = page.service.store.uploads.get(file["id"]).path
    assert stored.resolve().parent.parent == page.service.store.folder.resolve()


def test_archives_are_not_unpacked(page):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../escaped.txt", "1\n2\n")
    # The only file of an archive is read as it is, wherever it wants to go.
    file = page.upload({"x.zip": packed.getvalue()})[0]
    assert (file["problem"], file["rows"]) == (None, 2)
    assert not (page.service.store.folder.parent / "escaped.txt").exists()


def test_ids_cannot_be_guessed(page):
    ids = [page.upload({"a.txt": b"1\n"})[0]["id"] for _ in range(5)]
    assert len(set(ids)) == 5
    # 16 bytes of the system's own randomness.
    assert all(re.fullmatch(r"[\w-]{22}", one) for one in ids)
    assert page.get("/api/files").status_code == 405
    assert page.get("/api/jobs").status_code == 405
    assert page.get("/api/results").status_code == 404


def test_no_answer_comes_before_the_request_is_whole():
    """A browser that is still sending when the connection ends says that nobody is there."""
    heard = []

    async def receive():
        heard.append("received")
        return {"type": "http.request", "body": b"x" * 10, "more_body": heard.count("received") < 4}

    async def send(message):
        heard.append(message["type"])

    async def app(scope, receive, send):
        await receive()
        await send({"type": "http.response.start", "status": 507, "headers": []})

    headers = [(b"host", b"localhost"), (b"transfer-encoding", b"chunked")]
    scope = {"type": "http", "method": "POST", "path": "/api/files", "headers": headers, "scheme": "http"}
    for limit, parts in ((100, 4), (25, 3)):
        heard.clear()
        asyncio.run(guard(app, Settings(max_upload=limit))(scope, receive, send))
        assert heard == [*["received"] * parts, "http.response.start"]


def test_an_answer_does_not_wait_for_the_body_of_a_request_without_one():
    """After the first message only the end of the connection comes, and who sends a file listens for that meanwhile."""
    sent = []

    async def app(scope, receive, send):
        listening = asyncio.create_task(receive())
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        listening.cancel()

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message["type"])

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")], "scheme": "http"}
    asyncio.run(asyncio.wait_for(guard(app, Settings())(scope, receive, send), 5))
    assert sent == ["http.response.start"]
