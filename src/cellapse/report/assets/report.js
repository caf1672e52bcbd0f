// The report: reads its data from the page, draws, and redraws when a control changes.

const data = JSON.parse(byId("data").textContent);
const state = {
  colouring: data.colourings[0], chosen: null, showCells: true, showShares: true, showLabels: false, showDoubted: true, showMatter: false,
  shown: Math.min(30, data.spectra[0].values.length), axis: [0, 1, 2], axisNames: [],
  choose: (node) => choose(node === state.chosen ? null : node),
};

const network = makeNetwork(byId("network"), data, state);
const columns = data.embedding.vectors.length ? data.embedding.vectors[0].length : 0;
const column = (k) => data.embedding.vectors.map((row) => row[state.axis[k]] ?? 0);
const axisName = (k) => `eigenvector ${state.axis[k] + data.embedding.first}`;

const draw = {
  spectrum: figure(byId("spectrum"), (w) => drawSpectra(byId("spectrum"), w, data.spectra, state.shown)),
  compression: figure(byId("compression"), (w) => drawCompression(byId("compression"), w, data.compression, state.shown)),
  flat: figure(byId("flat"), (w) => drawScatter(byId("flat"), w, {
    xs: column(0), ys: column(1), nodes: data.embedding.nodes, names: data.labels, colouring: state.colouring,
    chosen: state.chosen, onChoose: state.choose, xName: axisName(0), yName: axisName(1), label: "The embedding in two dimensions",
  })),
  heat: figure(byId("heat"), (w) => drawSignatures(byId("heat"), w, data.signatures,
    state.chosen === null ? null : { values: data.signatures.nodes[state.chosen] })),
};
figure(byId("trust"), (w) => drawHistogram(byId("trust"), w, data.trust));
const points = () => data.embedding.vectors.map((row) => state.axis.map((k) => row[k] ?? 0));
nameAxes();
const cloud = makeCloud(byId("cloud"), points, data.embedding.nodes, state);

function nameAxes() { state.axisNames = state.axis.map((k) => String(k + data.embedding.first)); }

function legends() {
  for (const part of ["network", "embedding"])
    drawLegend(document.querySelector(`[data-legend=${part}]`), state.colouring, data[part].nodes);
  drawSpectraLegend(byId("spectrum-legend"));
  drawLineLegend(byId("heat-legend"), data.signatures.groups);
}

function choose(node) {
  state.chosen = node;
  const value = node === null ? "" : state.colouring.values[node];
  const shownValue = node === null ? "" : state.colouring.kind === "category" ? state.colouring.names[value] : number(value);
  byId("chosen").textContent = node === null ? "" : `${data.labels[node]}: ${shownValue}`;
  byId("find").value = node === null ? "" : data.labels[node];
  [network.draw, draw.flat, cloud, draw.heat].forEach((paint) => paint());
}

// Controls
data.colourings.forEach((c, i) => element("option", { value: i }, byId("colouring"), c.name));
byId("colouring").addEventListener("change", (e) => {
  state.colouring = data.colourings[Number(e.target.value)];
  legends();
  choose(state.chosen);
});
data.labels.slice(0, 3000).forEach((name) => element("option", { value: name }, byId("names")));
byId("find").addEventListener("change", (e) => {
  const at = data.labels.indexOf(e.target.value);
  choose(at < 0 ? null : at);
  if (at < 0 && e.target.value) byId("chosen").textContent = "no such vertex among those drawn";
});
[["show-cells", "showCells"], ["show-shares", "showShares"], ["show-labels", "showLabels"], ["show-doubted", "showDoubted"], ["show-matter", "showMatter"]].forEach(([id, key]) =>
  byId(id).addEventListener("change", (e) => { state[key] = e.target.checked; network.draw(); }));
byId("closer").addEventListener("click", () => network.zoom(1.25));
byId("farther").addEventListener("click", () => network.zoom(0.8));
byId("whole").addEventListener("click", () => network.reset());

const shown = byId("shown");
shown.max = Math.max(2, data.spectra[0].values.length);
shown.value = state.shown;
const countShown = () => { byId("shown-count").textContent = state.shown; };
shown.addEventListener("input", () => { state.shown = Number(shown.value); countShown(); draw.spectrum(); draw.compression(); });
countShown();

["axis-x", "axis-y", "axis-z"].forEach((id, k) => {
  const list = byId(id);
  for (let i = 0; i < columns; i++) element("option", { value: i }, list, `eigenvector ${i + data.embedding.first}`);
  state.axis[k] = Math.min(k, Math.max(columns - 1, 0));
  list.value = state.axis[k];
  list.addEventListener("change", () => { state.axis[k] = Number(list.value); nameAxes(); draw.flat(); cloud(); });
});
nameAxes();

document.querySelectorAll("[data-colour]").forEach((sign) => {
  const place = Number(sign.dataset.colour);
  drawSign(sign, categoryForm(place), categoryColour(place));
});
byId("network-note").textContent = data.network.note;
byId("embedding-note").textContent = data.embedding.note;
byId("heat-note").textContent = data.signatures.note;
legends();
repaintMore.push(legends);

document.documentElement.dataset.ready = "yes";
