// The explorer: a control moves, one question goes to this machine, everything is drawn anew.

const data = JSON.parse(byId("data").textContent);
const unknown = { kind: "category", name: "Clusters", names: ["cluster 0"], values: data.labels.map(() => 0) };
const state = {
  colouring: unknown, chosen: null, showCells: true, showShares: true, showLabels: false,
  axisNames: ["", "", ""], answer: null, choice: "clusters", marked: null,
  choose: (node) => { state.chosen = node === state.chosen ? null : node; tell({ chosen: state.chosen }); drawAll(); },
};
// The drawing of L has the same places, and the colours of its own clusters.
const plainState = Object.create(state, {
  colouring: { writable: true, value: unknown }, marked: { writable: true, value: null }, showShares: { value: false },
});
const nodes = data.labels.map((_, i) => i);
const vectors = () => (state.answer ? state.answer.vectors : data.labels.map(() => [0, 0, 0]));

const network = makeNetwork(byId("network"), data, state);
const plainNetwork = makeNetwork(byId("plain-network"), data, plainState);
const spectrum = figure(byId("spectrum"), (w) => {
  if (!state.answer) return;
  const both = [{ name: "S", values: state.answer.values }, { name: "L", values: state.answer.plain }];
  drawSpectra(byId("spectrum"), w, both, state.answer.values.length, Math.min(w, 420));
});
const flat = figure(byId("flat"), (w) => drawScatter(byId("flat"), w, {
  xs: vectors().map((row) => row[0] ?? 0), ys: vectors().map((row) => row[1] ?? 0), nodes, names: data.labels,
  colouring: state.colouring, chosen: state.chosen, onChoose: state.choose,
  xName: "eigenvector " + state.axisNames[0], yName: "eigenvector " + state.axisNames[1], label: "The embedding in two dimensions",
}));
const cloud = makeCloud(byId("cloud"), vectors, nodes, state);

function colourings() {
  const answer = state.answer, choices = { clusters: answer.clusters };
  data.groups.forEach((g, i) => { choices["group" + i] = g; });
  answer.vectors[0].forEach((_, k) => { choices["vector" + k] = { name: `Eigenvector ${k + answer.first} of S`, kind: "diverging", values: answer.vectors.map((row) => row[k]) }; });
  return choices;
}

// Vertices that L puts into a cluster of another colour.
function elsewhere(answer) {
  const place = (c, i) => c.colours[c.values[i]];
  return new Set(nodes.filter((i) => place(answer.clusters, i) !== place(answer.plain_clusters, i)));
}

const percent = (share) => (100 * share).toFixed(1) + " %";

function drawAll() {
  const answer = state.answer, choices = colourings(), list = byId("colouring");
  if (!(state.choice in choices)) state.choice = "clusters";
  clear(list);
  Object.entries(choices).forEach(([key, c]) => element("option", { value: key }, list, c.name));
  list.value = state.choice;
  state.colouring = choices[state.choice];
  byId("left-name").textContent = state.colouring.name;
  plainState.colouring = answer.plain_clusters;
  plainState.marked = elsewhere(answer);
  const right = answer.accuracy ? `${percent(answer.accuracy[0])} of the vertices are in their known group with S, ${percent(answer.accuracy[1])} with L. ` : "";
  byId("agreement").textContent = right + (answer.same === 1 ? "S and L find the same clusters." : `L puts ${percent(1 - answer.same)} of the vertices elsewhere; those drawn are ringed.`);
  byId("mass").textContent = answer.mass === "diagonal" ? "the diagonal of S" : "the degrees";
  state.axisNames = [0, 1, 2].map((k) => String(answer.first + k));
  byId("flat-name").textContent = "Eigenvectors " + state.axisNames.slice(0, 2).join(" and ");
  byId("cloud-name").textContent = `Eigenvectors ${state.axisNames[0]}, ${state.axisNames[1]} and ${state.axisNames[2]}`;
  data.network.edges.forEach((edge, i) => { edge[2] = answer.shares ? answer.shares[i] : 0.5; });
  legends();
  details();
  [network.draw, plainNetwork.draw, spectrum, flat, cloud].forEach((draw) => draw());
}

// What is known of the chosen vertex, with the edges that keep most and least of their weight.
function details() {
  const list = byId("details"), node = state.chosen, answer = state.answer;
  clear(list);
  byId("nobody").hidden = node !== null;
  byId("find").value = node === null ? "" : data.labels[node];
  if (node === null) return;
  const row = (name, value) => { element("dt", {}, list, name); element("dd", {}, list, String(value)); };
  row("vertex", data.labels[node]);
  row("cluster of S", answer.clusters.values[node]);
  row("cluster of L", answer.plain_clusters.values[node]);
  Object.entries(data.details).forEach(([name, values]) => row(name, values[node]));
  const near = data.network.edges.filter(([i, j]) => i === node || j === node).map(([i, j, share]) => [data.labels[i === node ? j : i], share]);
  if (answer.shares && near.length) {
    near.sort((a, b) => b[1] - a[1]);
    const said = (pairs) => pairs.map(([name, share]) => `${name} (${Math.round(100 * share)} %)`).join(", ");
    row("strongest edges", said(near.slice(0, 5)));
    if (near.length > 5) row("weakest edges", said(near.slice(-5).reverse()));
  } else row("neighbours", near.map(([name]) => name).slice(0, 12).join(", "));
}

// Controls
const realization = byId("realization");
Object.keys(data.realizations).forEach((name) => element("option", { value: name }, realization, name));
const sliders = ["eps", "gamma", "beta", "vectors", "clusters"];
byId("vectors").min = Math.min(4, data.most);
byId("vectors").max = data.most;
byId("clusters").max = Math.min(Math.max(20, data.settings.clusters), data.labels.length);
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
// What was set before a reload stands in the address, behind the #, which no server sees.
const scales = { eps: Math.log10, beta: Math.log10 };
function restore() {
  const kept = new URLSearchParams(location.hash.slice(1));
  const name = kept.get("realization");
  if (name !== null && name in data.realizations) {
    realization.value = name;
    usual(name);
  }
  sliders.forEach((id) => {
    const value = (scales[id] ?? Number)(Number(kept.get(id)));
    if (kept.has(id) && Number.isFinite(value)) byId(id).value = value;  // a slider stays within its ends
  });
  state.choice = kept.get("colouring") ?? state.choice;
  byId("show-labels").checked = state.showLabels = kept.get("labels") === "1";
}
function remember() {
  if (data.hosted) return;  // a frame has no address of its own
  const now = { ...settings(), colouring: state.choice, labels: state.showLabels ? 1 : 0 };
  history.replaceState(null, "", "#" + new URLSearchParams(now));
}
if (!data.hosted) restore();

function settings() {
  const value = (id) => Number(byId(id).value);
  return {
    realization: realization.value, eps: Number((10 ** value("eps")).toPrecision(3)), gamma: value("gamma"),
    beta: Number((10 ** value("beta")).toPrecision(6)), vectors: value("vectors"), clusters: value("clusters"),
  };
}

function show(now) {
  byId("hint").textContent = data.realizations[now.realization].hint;
  sliders.forEach((id) => {
    document.querySelector(`output[for=${id}]`).textContent = number(now[id]);
    byId(id).setAttribute("aria-valuetext", number(now[id]));  // eps and beta are read as themselves, not as logarithms
  });
}

// Answers come from the server of this page, or, within a notebook, from its kernel: the page then is
// a frame, and what is around it passes questions and answers on.
let waiting = null;
function answerTo(now) {
  if (!data.hosted) return fetch("answer?" + new URLSearchParams(now)).then((reply) => reply.json());
  return new Promise((resolve) => {
    waiting = { ticket: Math.random(), resolve };
    tell({ question: { ticket: waiting.ticket, settings: now } });
  });
}
const tell = (message) => { if (data.hosted) parent.postMessage({ cellapse: data.hosted, ...message }, "*"); };
if (data.hosted) addEventListener("message", ({ source, data: said }) => {
  if (source !== parent || said?.cellapse !== data.hosted) return;
  if (said.answer && waiting?.ticket === said.answer.ticket) waiting.resolve(said.answer);
  if (said.settings) move(said.settings);
  if ("chosen" in said && said.chosen !== state.chosen) {
    state.chosen = said.chosen;
    if (state.answer) drawAll();
  }
});

// The controls as they were set elsewhere; what was asked for here comes back as an echo.
let asked = {};
function move(given) {
  const now = { ...settings(), ...given };
  const same = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.abs(a);
  if ([asked, settings()].some((those) => Object.keys(now).every((name) => same(now[name], those[name])))) return;
  realization.value = now.realization;
  sliders.forEach((id) => { byId(id).value = (scales[id] ?? Number)(now[id]); });
  ask();
}

// One question at a time. Whatever moves meanwhile is asked in one go when the answer is there: the
// drawing follows a slider as quickly as it can, and answers never overtake each other.
let running = false, changed = false, drawn = 0;
async function ask() {
  const now = settings();
  show(now);
  remember();
  changed = running;
  if (running) return;
  running = true;
  asked = now;
  const begun = performance.now();
  const patience = setTimeout(() => {
    byId("status").textContent = `Still computing: ${now.realization} takes longer on a network of this size. What is drawn belongs to the settings before.`;
  }, 300);
  try {
    receive(await answerTo(now), now, begun);
  } catch (error) {
    byId("status").textContent = data.hosted ? "No answer: is the kernel of this notebook still running?" : "No answer: is cellapse explore still running?";
  } finally {
    clearTimeout(patience);
    running = false;
  }
  if (changed) ask();
}

function receive(answer, asked, begun) {
  byId("warning").hidden = !(answer.error || answer.warnings.length);
  byId("warning").textContent = answer.error || answer.warnings.join(" ");
  if (answer.error) return;
  state.answer = answer;
  keep(asked);
  drawAll();
  const took = Math.round(performance.now() - begun);
  byId("status").textContent = `Clusters of ${answer.sizes.join(", ")} vertices. Computed in ${Math.round(1000 * answer.seconds)} ms, on screen after ${took} ms; largest residual ${number(answer.residual)}.`;
  document.documentElement.dataset.answers = ++drawn;
}

realization.addEventListener("input", () => usual(realization.value));
[realization, ...sliders.map(byId)].forEach((control) => control.addEventListener("input", ask));
byId("colouring").addEventListener("change", (e) => { state.choice = e.target.value; remember(); drawAll(); });
byId("show-labels").addEventListener("change", (e) => { state.showLabels = e.target.checked; remember(); [network, plainNetwork].forEach((n) => n.draw()); });
byId("find").addEventListener("change", (e) => {
  const at = data.labels.indexOf(e.target.value);
  state.chosen = at < 0 ? null : at;
  tell({ chosen: state.chosen });
  drawAll();
  if (at < 0 && e.target.value) byId("nobody").textContent = "No such vertex among those drawn.";
});
data.labels.slice(0, 3000).forEach((name) => element("option", { value: name }, byId("names")));
const both = (action) => () => [network, plainNetwork].forEach(action);
byId("closer").addEventListener("click", both((n) => n.zoom(1.25)));
byId("farther").addEventListener("click", both((n) => n.zoom(0.8)));
byId("whole").addEventListener("click", both((n) => n.reset()));

// Files, code and command of the settings that are drawn.
function keep(asked) {
  const query = new URLSearchParams(asked);
  if (!data.hosted) {
    byId("csv").href = "clusters.csv?" + query;
    byId("json").href = "clusters.json?" + query;
  }
  byId("recipe").textContent = state.answer.recipes.python;
  byId("copied").textContent = "";
}
function copy(text) {
  byId("recipe").textContent = text;
  const told = (done) => { byId("copied").textContent = done ? "Copied." : "Mark the lines below and copy them."; };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => told(true), () => told(false));
  else told(false);
}
byId("copy-python").addEventListener("click", () => copy(state.answer.recipes.python));
byId("copy-command").addEventListener("click", () => copy(state.answer.recipes.command));
byId("copy-command").hidden = !data.from_command;
if (data.hosted) {
  [byId("csv"), byId("json")].forEach((link) => link.remove());  // the kernel has what they hold
  document.querySelector("footer").textContent = "Computed by the kernel of this notebook; nothing leaves it.";
}
byId("network-note").textContent = data.network.note;
const legends = () => { drawSpectraLegend(byId("spectrum-legend")); drawLegend(byId("legend"), state.colouring, nodes); };
repaintMore.push(legends);
ask();
