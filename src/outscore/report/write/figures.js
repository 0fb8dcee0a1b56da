// Charts to take along: as they are drawn, as pixels, as the numbers behind them, and on paper or as PDF by the browser's print.

/** @type {[string, (figure: HTMLElement) => void][]} */
const SAVED = [["SVG", saveDrawing], ["PNG", savePixels], ["PDF", printAlone], ["CSV", saveNumbers]];

function offerCharts(root) {
  for (const figure of root.querySelectorAll("figure[data-key]:not(:has(.save))")) {
    const place = document.createElement("p");
    place.className = "save";
    place.append("Save as ");
    for (const [name, save] of SAVED) {
      if (name === "CSV" && !figure.dataset.csv) continue;
      const button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: name, ariaLabel: `Save the chart as ${name}` });
      button.addEventListener("click", () => save(figure));
      place.append(button, " ");
    }
    figure.append(place);
  }
}

// The chart by itself, on white. What the page's style gives it comes along; colours of the charts are their own.
function drawingOf(figure) {
  const svg = figure.querySelector("svg"), copy = svg.cloneNode(true), { width, height } = svg.getBoundingClientRect();
  if (!svg.classList.contains("chart")) {
    const others = [...copy.querySelectorAll("*")];
    [...svg.querySelectorAll("*")].forEach((element, i) => {
      const style = getComputedStyle(element);
      for (const name of ["fill", "stroke", "font-size", "font-family", "text-anchor", "dominant-baseline"]) others[i].style.setProperty(name, style.getPropertyValue(name));
    });
  }
  const box = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", svg.namespaceURI);
  copy.setAttribute("width", box?.width || width);
  copy.setAttribute("height", box?.height || height);
  const paper = document.createElementNS(svg.namespaceURI, "rect");
  const ground = svg.classList.contains("chart") ? "#fff" : getComputedStyle(document.body).backgroundColor;
  for (const [name, value] of Object.entries({ x: box?.x || 0, y: box?.y || 0, width: "100%", height: "100%", fill: ground })) paper.setAttribute(name, value);
  copy.prepend(paper);
  return { text: new XMLSerializer().serializeToString(copy), width: box?.width || width, height: box?.height || height };
}

function keep(content, kind, figure, suffix) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
  link.download = `outscore-${figure.dataset.key}.${suffix}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function saveDrawing(figure) {
  keep(drawingOf(figure).text, "image/svg+xml", figure, "svg");
}

// Twice as fine as on the screen, as the command line draws them.
async function savePixels(figure) {
  const { text, width, height } = drawingOf(figure), image = new Image(), canvas = document.createElement("canvas");
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  Object.assign(canvas, { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((pixels) => keep(pixels, "image/png", figure, "png"));
}

function saveNumbers(figure) {
  keep(figure.dataset.csv, "text/csv", figure, "csv");
}

function printAlone(figure) {
  figure.classList.add("alone");
  document.body.classList.add("print-one");
  window.addEventListener("afterprint", () => { figure.classList.remove("alone"); document.body.classList.remove("print-one"); }, { once: true });
  window.print();
}
