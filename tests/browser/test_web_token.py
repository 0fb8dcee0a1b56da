"""Who opened the printed address is at home in that browser, and no other server of the machine learns how."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

from tests.browser.screens import TOKENS
from tests.browser.web_server import SCORES, WIDE, expect, sent, there

import outscore as osc
from outscore.cli import serve as serving


@contextmanager
def listening():
    """The address of another server of this machine, and what it hears."""
    heard = []

    class Ear(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(f"{self.path}\n{self.headers}")
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(b"<h1>Elsewhere</h1>")

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Ear)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", heard
    finally:
        server.shutdown()
        server.server_close()


def test_a_server_on_another_port_learns_nothing(browser, server):
    page = browser.new_page(alone=True, **WIDE)
    page.goto(f"{server}/?token={TOKENS[server]}")
    there(page.locator(".offer").first)
    # The token stays out of the address and of cookies, which go to every port.
    assert page.url == f"{server}/"
    assert page.context.cookies() == []
    with listening() as (elsewhere, heard):
        page.evaluate("(address) => { location.href = address; }", elsewhere)
        there(page.get_by_text("Elsewhere"))
        found = page.evaluate(
            "() => [document.cookie, document.referrer, JSON.stringify({ ...localStorage, ...sessionStorage })]"
        )
        assert found == ["", "", "{}"]
    assert heard
    assert not [request for request in heard if TOKENS[server] in request or "cookie:" in request.lower()]
    page.go_back()
    there(page.locator(".offer").first)
    page.context.close()


def test_the_file_that_the_browser_is_given_leads_to_the_page(browser, server, tmp_path, monkeypatch):
    shown = queue.SimpleQueue()
    monkeypatch.setattr(serving.webbrowser, "open", shown.put)
    serving._open_browser(f"{server}/?token={TOKENS[server]}", tmp_path)
    page = browser.new_page(alone=True, **WIDE)
    page.goto(shown.get(timeout=60), wait_until="commit")
    page.wait_for_url(f"{server}/")
    there(page.locator(".offer").first)
    page.context.close()


def test_at_home_after_reload_in_a_new_tab_and_for_downloads(browser, server, tmp_path):
    page = browser.new_page(alone=True, **WIDE)
    page.goto(f"{server}/?token={TOKENS[server]}")
    there(page.locator(".offer").first)
    page.reload()
    there(page.locator(".offer").first)
    address = server + sent(server, "compare", scores_txt=SCORES)
    with page.context.expect_page() as opened:
        page.evaluate("(address) => { open(address, '_blank', 'noopener'); }", address)
    tab = opened.value
    link = tab.get_by_role("link", name="JSON", exact=True)
    there(link)
    with tab.expect_download() as waiting:
        link.click()
    assert waiting.value.suggested_filename == "outscore-compare-A-vs-B.json"
    waiting.value.save_as(tmp_path / "saved.json")
    assert osc.load(tmp_path / "saved.json").systems == ("A", "B")
    # A saved address holds no token and needs none here.
    assert TOKENS[server] not in tab.url
    page.context.close()


def test_who_does_not_have_the_token_is_told_what_to_do(browser, server):
    page = browser.new_page(alone=True, **WIDE)
    wanted = "This page can only be opened with its token. Open the whole address that outscore serve printed"
    for address in ("/", sent(server, "compare", scores_txt=SCORES)):
        page.goto(server + address)
        expect(page.locator(".problem[role=alert]:visible")).to_contain_text(wanted)
    # That of a server that has ended is no help, and neither does one in a link replace the right one.
    page.goto(f"{server}/?token={TOKENS[server]}")
    there(page.locator(".offer").first)
    assert page.goto(f"{server}/?token=wrong").status == 403
    page.goto(f"{server}/")
    there(page.locator(".offer").first)
    page.evaluate("() => localStorage.setItem('token', 'of yesterday')")
    page.reload()
    expect(page.locator(".problem[role=alert]:visible")).to_contain_text(wanted)
    page.context.close()


def test_a_download_that_is_refused_says_why_beside_its_link(finished):
    page, result = finished, finished.evaluate("() => document.querySelector('.downloads a').pathname.split('/')[3]")
    page.route(f"**/api/results/{result}/download.tex", lambda route: route.fulfill(status=422, json={"error": "No room."}))
    page.get_by_role("link", name="LaTeX").click()
    expect(page.locator(".downloads .problem")).to_have_text("No room.")
    page.unroute(f"**/api/results/{result}/download.tex")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="LaTeX").click()
    assert waiting.value.suggested_filename.endswith(".tex")
    assert page.locator(".downloads .problem").count() == 0
