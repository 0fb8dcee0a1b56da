// The verdict while its place on the page is out of sight: one line, and what it was before a setting was changed.

import { make } from "./dom.js";

const BETWEEN = " \u00b7 ";

export class VerdictLine {
  // `place` shows the line; where it floats it is there only while the headline is not, at the end where that lies.
  constructor(place, { floating = false } = {}) {
    this.place = place;
    this.said = this.about = null;
    this.watches = floating ? [watch("100000px 0px 0px", "below", this), watch("0px 0px 100000px", "above", this)] : [];
  }

  // Whether the headline lies outside of the window, by its name for where.
  lies(where, outside) {
    this.place.classList.toggle(where, outside);
    this.place.hidden = !["above", "below"].some((one) => this.place.classList.contains(one));
  }

  // A verdict as it stands on the page; `about` says which data it is about: that of other data is no earlier one of these.
  show(verdict, about) {
    const headline = verdict?.querySelector("h1"), numbers = verdict?.dataset.line?.split(BETWEEN) ?? [];
    const said = [headline?.textContent, ...numbers].filter(Boolean);
    const before = this.about === about ? this.said : null;
    this.place.replaceChildren(...(before && `${before}` !== `${said}` ? changed(before, said) : [said.join(BETWEEN)]));
    this.said = said;
    this.about = about;
    for (const one of this.watches) {
      one.disconnect();
      if (headline) one.observe(headline);
    }
  }

  clear() {
    this.said = null;
    for (const one of this.watches) one.disconnect();
    this.place.replaceChildren();
    if (this.watches.length) this.place.hidden = true;
  }
}

// A window that is endless to one side tells on which side a headline left it, even where it was never in between.
function watch(rootMargin, where, line) {
  return new IntersectionObserver((seen) => line.lies(where, !seen.at(-1).isIntersecting), { rootMargin });
}

// Old and new part by part, so that what is equal is said once; where one says more than the other, as wholes.
function changed(before, said) {
  const parts = before.length === said.length ? [before, said] : [before, said].map((all) => [all.join(BETWEEN)]);
  const [old, now] = parts, arrow = () => make("span", { "aria-hidden": "true" }, " \u2192 ");
  const part = (text, i) => {
    if (text === old[i]) return [text];
    return [make("s", {}, old[i]), arrow(), make("span", { class: "renewed" }, text)];
  };
  return now.flatMap((text, i) => [...(i ? [BETWEEN] : []), ...part(text, i)]);
}
