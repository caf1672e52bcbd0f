// The explorer: a control moves, one question goes to this machine, everything is drawn anew.

const data = JSON.parse(byId("data").textContent);
const unknown = { kind: "category", name: "Clusters", names: ["cluster 1"], values: data.labels.map(() => 0) };
const state = {
  colouring: unknown, chosen: null, showCells: true, showShares: true, showLabels: false,
  axisNames: ["", "", ""], answer: null, choice: "clusters",
  choose: (node) => { state.chosen = node === state.chosen ? null : node; drawAll(); },
};
const nodes = data.labels.map((_, i) => i);
const vectors = () => (state.answer ? state.answer.vectors : data.labels.map(() => [0, 0, 0]));

const network = makeNetwork(byId("network"), data, state);
const spectrum = figure(byId("spectrum"), (w) => {
  if (!state.answer) return;
  const both = [{ name: "S", values: state.answer.values }, { name: "L", values: state.answer.plain }];
  drawSpectra(byId("spectrum"), w, both, state.answer.values.length, Math.min(w, 440));
});
const flat = figure(byId("flat"), (w) => drawScatter(byId("flat"), w, {
  xs: vectors().map((row) => row[0] ?? 0), ys: vectors().map((row) => row[1] ?? 0), nodes, names: data.labels,
  colouring: state.colouring, chosen: state.chosen, onChoose: state.choose,
  xName: "eigenvector " + state.axisNames[0], yName: "eigenvector " + state.axisNames[1], label: "The embedding in two dimensions",
}));
const cloud = makeCloud(byId("cloud"), vectors, nodes, state);

// The same colour should mean the same vertices from one answer to the next.
function steady(now, before) {
  if (!before) return now;
  const overlaps = {};
  now.forEach((c, i) => { const key = c + "," + before[i]; overlaps[key] = (overlaps[key] || 0) + 1; });
  const place = {}, taken = new Set();
  Object.entries(overlaps).sort((a, b) => b[1] - a[1]).forEach(([key]) => {
    const [c, old] = key.split(",").map(Number);
    if (!(c in place) && !taken.has(old)) { place[c] = old; taken.add(old); }
  });
  let free = 0;
  return now.map((c) => {
    if (!(c in place)) { while (taken.has(free)) free++; place[c] = free; taken.add(free); }
    return place[c];
  });
}

function colourings() {
  const answer = state.answer, shown = {};
  const top = Math.max(...answer.clusters);
  shown.clusters = { name: "Clusters", kind: "category", values: answer.clusters, names: Array.from({ length: top + 1 }, (_, c) => (answer.clusters.includes(c) ? `cluster ${c + 1}` : "")) };
  data.groups.forEach((g, i) => { shown["group" + i] = g; });
  answer.vectors[0].forEach((_, k) => { shown["vector" + k] = { name: `Eigenvector ${k + answer.first}`, kind: "diverging", values: answer.vectors.map((row) => row[k]) }; });
  return shown;
}

function drawAll() {
  const shown = colourings(), list = byId("colouring");
  if (!(state.choice in shown)) state.choice = "clusters";
  clear(list);
  Object.entries(shown).forEach(([key, c]) => element("option", { value: key }, list, c.name));
  list.value = state.choice;
  state.colouring = shown[state.choice];
  state.axisNames = [0, 1, 2].map((k) => String(state.answer.first + k));
  byId("flat-name").textContent = "Eigenvectors " + state.axisNames.slice(0, 2).join(" and ");
  byId("cloud-name").textContent = `Eigenvectors ${state.axisNames[0]}, ${state.axisNames[1]} and ${state.axisNames[2]}`;
  data.network.edges.forEach((edge, i) => { edge[2] = state.answer.shares ? state.answer.shares[i] : 0.5; });
  legends();
  [network.draw, spectrum, flat, cloud].forEach((draw) => draw());
}

// Controls
const realization = byId("realization");
Object.keys(data.realizations).forEach((name) => element("option", { value: name }, realization, name));
const sliders = ["eps", "gamma", "beta", "vectors", "clusters"];
byId("vectors").min = Math.min(4, data.most);
byId("vectors").max = data.most;
byId("clusters").max = Math.min(20, data.labels.length);
const begin = data.settings;
realization.value = begin.realization;
byId("eps").value = Math.log10(begin.eps);
// Every realization starts with its own weights.
function usual(name) {
  byId("gamma").value = data.realizations[name].gamma;
  byId("beta").value = Math.log10(data.realizations[name].beta);
}
usual(begin.realization);
byId("vectors").value = begin.vectors;
byId("clusters").value = begin.clusters;

function settings() {
  const value = (id) => Number(byId(id).value);
  return {
    realization: realization.value, eps: Number((10 ** value("eps")).toPrecision(3)), gamma: value("gamma"),
    beta: Number((10 ** value("beta")).toPrecision(6)), vectors: value("vectors"), clusters: value("clusters"),
  };
}

function show(now) {
  byId("hint").textContent = data.realizations[now.realization].hint;
  sliders.forEach((id) => { document.querySelector(`output[for=${id}]`).textContent = number(now[id]); });
}

// One question at a time. Whatever moves meanwhile is asked in one go when the answer is there: the
// drawing follows a slider as quickly as it can, and answers never overtake each other.
let running = false, changed = false, drawn = 0;
async function ask() {
  const now = settings();
  show(now);
  changed = running;
  if (running) return;
  running = true;
  const begun = performance.now();
  const patience = setTimeout(() => {
    byId("status").textContent = `Still computing: ${now.realization} takes longer on a network of this size. What is drawn belongs to the settings before.`;
  }, 300);
  try {
    const reply = await fetch("answer?" + new URLSearchParams(now));
    receive(await reply.json(), begun);
  } catch (error) {
    byId("status").textContent = "No answer: is cellapse explore still running?";
  } finally {
    clearTimeout(patience);
    running = false;
  }
  if (changed) ask();
}

function receive(answer, begun) {
  byId("warning").hidden = !(answer.error || answer.warnings.length);
  byId("warning").textContent = answer.error || answer.warnings.join(" ");
  if (answer.error) return;
  answer.clusters = steady(answer.clusters, state.answer && state.answer.clusters);
  state.answer = answer;
  drawAll();
  const took = Math.round(performance.now() - begun);
  byId("status").textContent = `Clusters of ${answer.sizes.join(", ")} vertices. Computed in ${Math.round(1000 * answer.seconds)} ms, on screen after ${took} ms; largest residual ${number(answer.residual)}.`;
  document.documentElement.dataset.answers = ++drawn;
}

realization.addEventListener("input", () => usual(realization.value));
[realization, ...sliders.map(byId)].forEach((control) => control.addEventListener("input", ask));
byId("colouring").addEventListener("change", (e) => { state.choice = e.target.value; drawAll(); });
byId("closer").addEventListener("click", () => network.zoom(1.25));
byId("farther").addEventListener("click", () => network.zoom(0.8));
byId("whole").addEventListener("click", () => network.reset());
byId("network-note").textContent = data.network.note;
const legends = () => { drawSpectraLegend(byId("spectrum-legend")); drawLegend(byId("legend"), state.colouring, nodes); };
repaintMore.push(legends);
ask();
