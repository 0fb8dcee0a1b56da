"""Long work in a real browser: progress is shown, the page stays usable, and cancelling ends it."""

from __future__ import annotations

from tests.browser.web_server import brought, expect, there, unfold

SCORES = "".join(f"{(i * 37 % 1009) / 1009:.4f} {(i * 53 % 997) / 997:.4f}\n" for i in range(600))


def test_a_long_job_is_cancelled_and_the_next_one_works(browser, server):
    with brought(browser, server, "compare", scores_txt=SCORES) as page:
        there(page.locator("#steps"))
        page.get_by_label("Test", exact=True).select_option("bootstrap")
        unfold(page)
        resamples = page.locator("[data-field=resamples]:visible input")
        resamples.fill("1000000")
        progress = page.locator(".progress")
        expect(progress).to_be_visible()
        expect(page.get_by_role("progressbar")).to_be_visible()
        # The page stays responsive: what was there can still be used.
        page.get_by_text("Charts to download").click()
        progress.get_by_role("button", name="Cancel").click()
        expect(page.locator("#work")).to_contain_text("Cancelled")
        expect(progress).to_have_count(0)
        resamples.fill("999")
        expect(page.locator("#answer .why")).to_contain_text("bootstrap")
        expect(page.locator("#work")).to_be_empty()
