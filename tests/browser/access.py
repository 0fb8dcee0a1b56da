"""What everybody must be able to do with a page: read its letters, follow its headings, hear of its pictures and controls."""

from __future__ import annotations

from itertools import pairwise

# WCAG 2.2, success criteria 1.4.3 and 1.4.11: 4.5, and 3 for large letters and for signs that are pictures, which no reader
# reads aloud; what is hidden, empty or switched off does not count.
COLOURS = """
  const numbers = (text) => (text.match(/[\\d.]+(e-?\\d+)?/g) ?? []).map(Number);
  const rgba = (text) => {
    const [r, g, b, a = 1] = numbers(text.replace("srgb", ""));
    return text.startsWith("color(") ? [255 * r, 255 * g, 255 * b, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], [x, y, z]) => [r * a + x * (1 - a), g * a + y * (1 - a), b * a + z * (1 - a), 1];
  // What is drawn in a picture under the middle of a text: shapes that come before it and hold that point.
  const drawn = (element) => {
    const picture = element.closest("svg");
    if (!picture || element === picture) return [];
    const box = element.getBoundingClientRect();
    const middle = new DOMPoint(box.left + box.width / 2, box.top + box.height / 2);
    const holds = (shape) => shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()));
    const before = (shape) => shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    return [...picture.querySelectorAll("path, rect")].filter((shape) => before(shape) && holds(shape)).flatMap((shape) => {
      const style = getComputedStyle(shape);
      if (style.fill === "none" || style.display === "none") return [];
      const [r, g, b, a] = rgba(style.fill);
      return [[r, g, b, a * style.opacity * style.fillOpacity]];
    });
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(rgba(getComputedStyle(at).backgroundColor));
    return [...layers, ...drawn(element)].reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.slice(0, 3).map((c) => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const between = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((x, y) => x - y);
    return (bright + 0.05) / (dark + 0.05);
  };
"""
LETTERS = (
    "() => {"
    + COLOURS
    + """
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (element.closest(".unseen, script, noscript, option, :disabled")) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const below = ground(element);
    const ink = over(rgba(element.closest("svg") ? style.fill : style.color), below);
    const ratio = between(ink, below);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const sign = element.closest("[aria-hidden=true]");
    const name = `${element.localName}.${element.getAttribute("class")}`;
    if (ratio < (large || sign ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${name} ${text.slice(0, 40)}`);
  }
  return found;
}"""
)
EDGES = (
    "() => {"
    + COLOURS
    + """
  const bordered = "input:not([type=checkbox], [type=radio]), select, textarea, .quiet-button, .zone";
  return [...document.querySelectorAll(bordered)].flatMap((one) => {
    if (!one.checkVisibility() || one.closest(".unseen, :disabled")) return [];
    const style = getComputedStyle(one), below = ground(one.parentElement);
    const ratio = between(over(rgba(style.borderTopColor), below), below);
    return ratio < 3 ? [`${ratio.toFixed(2)} ${one.localName}.${one.className}`] : [];
  });
}"""
)
HEADINGS = """() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((heading) => heading.checkVisibility())
  .map((heading) => Number(heading.localName[1]))"""
SILENT = """() => [...document.querySelectorAll("img, svg, [role=img]")].filter((picture) => picture.checkVisibility())
  .filter((picture) => !picture.closest("[aria-hidden=true]") && picture.parentElement.closest("svg") === null)
  .filter((picture) => picture.getAttribute("alt") === null && !picture.ariaLabel)
  .map((picture) => picture.outerHTML.slice(0, 80))"""
NAMELESS = """() => [...document.querySelectorAll("input, select, textarea, button, a[href], summary")]
  .filter((control) => control.checkVisibility())
  .filter((control) => !(control.labels?.length || control.ariaLabel || control.textContent.trim()))
  .map((control) => control.outerHTML)"""


def pale_letters(page) -> list[str]:
    """Every text whose colour is too close to the ground it stands on."""
    return page.evaluate(LETTERS)


def pale_edges(page) -> list[str]:
    """Every control whose border is too close to the ground it stands on."""
    return page.evaluate(EDGES)


def skipped_headings(page) -> list[int]:
    """The levels of the headings, if they do not begin with one of the first level or leave out a level on the way down."""
    levels = page.evaluate(HEADINGS)
    in_order = levels[:1] == [1] and levels.count(1) == 1 and all(b <= a + 1 for a, b in pairwise(levels))
    return [] if in_order else levels


def silent_pictures(page) -> list[str]:
    """Pictures that say nothing to those who cannot see them."""
    return page.evaluate(SILENT)


def nameless_controls(page) -> list[str]:
    """Controls without a name."""
    return page.evaluate(NAMELESS)


CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "spinbutton", "slider"}
PICTURES = {"image", "graphics-document", "graphics-symbol"}


def heard(page):
    """What a screen reader is told of a page: the nodes of its accessibility tree, with their roles, names and children."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    known = {node["nodeId"]: node for node in nodes}

    def read(node):
        value = {name: node.get(name, {}).get("value") for name in ("role", "name")}
        below = [known[key] for key in node.get("childIds", []) if key in known]
        return value | {"id": node["nodeId"], "below": below, "ignored": node["ignored"]}

    return [read(node) for node in nodes], read


def unheard(page):
    """What nobody can know by ear: controls, pictures and tables without a name, and tables without headers.

    A table may be named by the region that it is alone in. The first rows of a file are what they are, without headers.
    """
    nodes, read = heard(page)
    shown = [node for node in nodes if not node["ignored"]]
    found = [node["role"] for node in shown if node["role"] in CONTROLS | PICTURES and not (node["name"] or "").strip()]

    def within(node, roles):
        below = [read(one) for one in node["below"]]
        return [one for one in below if one["role"] in roles] + [deep for one in below for deep in within(one, roles)]

    regions = [node for node in shown if node["role"] == "region" and (node["name"] or "").strip()]
    alone = [inside[0]["id"] for region in regions if len(inside := within(region, {"table"})) == 1]
    for table in (node for node in shown if node["role"] == "table"):
        rows, heads = within(table, {"row"}), [one["name"] for one in within(table, {"columnheader", "rowheader"})]
        called = (table["name"] or "").strip()
        if not called and table["id"] not in alone:
            found.append(f"a table without a name: {heads[:4]}")
        if not heads and rows:
            found.append(f"{called}: no headers")
        own = called and not called.startswith("First rows")
        if own and len(rows) > 1 and not any(within(row, {"rowheader"}) for row in rows[1:]):
            found.append(f"{called}: rows without headers")
    return found
