// The report of a result, taken into the page: the server renders it once for everybody, and the page puts its parts in place.

import { ask } from "./api.js";
import { make } from "./dom.js";

const STYLES = [["#explorer", "/static/explorer.css"], [".ranked", "/static/ranking.css"]];

// The contents of the report. Our own templates have escaped everything that came from files.
export async function fetchReport(result) {
  const report = await ask("GET", `/api/results/${result}/download.html`).then((answer) => answer.text());
  // The page's policy allows no style attributes; the same values may be set one by one.
  const text = report.slice(report.indexOf("<main"), report.lastIndexOf("</main>")).replaceAll(' style="', ' data-style="');
  const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  for (const unused of main.querySelectorAll("noscript, script:not([type='application/json'])")) unused.remove();
  document.adoptNode(main);
  for (const element of main.querySelectorAll("[data-style]")) {
    element.style.cssText = element.dataset.style;
    delete element.dataset.style;
  }
  await dress(main);
  return main;
}

// One of several comparisons, to be opened by itself.
export function unfolding(article, open = false) {
  const [kind, top] = [".kind", ".verdict h2"].map((part) => article.querySelector(part).textContent);
  const fold = make("details", { class: "part-of", open }, make("summary", {}, `${kind} `, make("span", {}, top)));
  article.replaceWith(fold);
  fold.append(article);
  return fold;
}

// Rankings and diffs bring a stylesheet of their own.
async function dress(main) {
  const wanted = STYLES.filter(([part]) => main.querySelector(part)).map(([, href]) => href);
  const missing = wanted.filter((href) => !document.querySelector(`link[href="${href}"]`));
  await Promise.all(missing.map((href) => new Promise((load) => {
    document.head.append(make("link", { rel: "stylesheet", href, load, error: load }));
  })));
}

let explorer = null;

// The explorer of a diff reads its data from the page. Its script is loaded once and started anew for every result.
export async function startExplorer() {
  explorer ??= new Promise((load, error) => document.head.append(make("script", { src: "/static/explorer.js", load, error })));
  try {
    await explorer;
  } catch {
    explorer = null;
    throw new Error("The explorer could not be loaded.");
  }
  // Another result may have taken its place meanwhile.
  if (document.getElementById("data-pairs")) window.outscoreExplorer();
}
