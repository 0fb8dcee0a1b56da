// The verdict while its place on the page is out of sight: one line, and what it was before a setting was changed.

import { make } from "./dom.js";

export class VerdictLine {
  // `place` shows the line; where it floats it is there only while the headline is not.
  constructor(place, { floating = false } = {}) {
    this.place = place;
    this.said = this.about = null;
    this.watch = floating ? new IntersectionObserver(([seen]) => {
      place.hidden = seen.isIntersecting || seen.boundingClientRect.top > 0;
    }) : null;
  }

  // `about` says which data the verdict is about: that of other data is no earlier one of these.
  show(parts, about, headline = null) {
    const said = parts.filter(Boolean).join(" · "), before = this.said;
    const changed = before !== null && before !== said && this.about === about;
    const old = changed ? [make("s", {}, before), make("span", { "aria-hidden": "true" }, " → ")] : [];
    this.place.replaceChildren(...old, make("span", { class: changed ? "renewed" : null }, said));
    this.said = said;
    this.about = about;
    this.watch?.disconnect();
    if (headline) this.watch?.observe(headline);
  }

  clear() {
    this.said = null;
    this.watch?.disconnect();
    this.place.replaceChildren();
    if (this.watch) this.place.hidden = true;
  }
}
