// Gates: one form, one result, and from its picture the way to the items of both versions.

import { askJson } from "./api.js";
import { button } from "./dom.js";
import { loadItems, openDrawer } from "./drawer.js";
import { fetchReport } from "./reports.js";
import { View, open } from "./view.js";

class Gate extends View {
  async load(result) {
    return Promise.all([fetchReport(result), askJson("GET", "/api/options/compare")]);
  }

  show(job, main, fields) {
    super.show(job, main);
    const known = new Set(fields.filter((field) => field.type !== "file").map((field) => field.name));
    const own = Object.entries(this.form.values()).filter(([name]) => known.has(name) && name !== "margin");
    const files = structuredClone(this.files), settings = Object.fromEntries(own);
    const items = () => openDrawer(loadItems(files, settings), { title: "Items" });
    document.querySelector("#result .picture")?.append(button("See the items", items, "link-button"));
  }
}

open(new Gate());
