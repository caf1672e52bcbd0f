// Charts with two axes: points and lines. Every mark carries its numbers in data-x and data-y.

function axes(box, width, options) {
  clear(box);
  const height = options.height || Math.round(Math.min(320, 0.62 * width + 60));
  const root = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label }, box);
  const left = 62, right = width - 10, top = 12, bottom = height - 40;
  const [x0, x1] = options.x, [y0, y1] = options.y;
  const place = (v, low, high, from, to, log) => {
    const t = log ? Math.log(v / low) / Math.log(high / low || 10) : (v - low) / (high - low || 1);
    return from + t * (to - from);
  };
  const X = (v) => place(v, x0, x1, left, right, options.logX);
  const Y = (v) => place(v, y0, y1, bottom, top, options.logY);
  const xTicks = options.logX ? logTicks(x0, x1) : niceTicks(x0, x1, width / 90).filter((t) => !options.whole || Number.isInteger(t));
  const yTicks = options.logY ? logTicks(y0, y1) : niceTicks(y0, y1, height / 60);
  for (const t of yTicks) {
    shape("line", { class: "axis", x1: left, x2: right, y1: Y(t), y2: Y(t) }, root);
    shape("text", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, root, number(t));
  }
  for (const t of xTicks) {
    shape("line", { class: "axis", x1: X(t), x2: X(t), y1: bottom, y2: bottom + 4 }, root);
    shape("text", { x: X(t), y: bottom + 18, "text-anchor": "middle" }, root, number(t));
  }
  shape("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }, root);
  shape("text", { class: "name", x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, root, options.xName);
  shape("text", { class: "name", x: 13, y: (top + bottom) / 2, transform: `rotate(-90 13 ${(top + bottom) / 2})`, "text-anchor": "middle" }, root, options.yName);
  return { root, X, Y, left, right, top, bottom };
}

function mark(at, x, y, form, colour, radius, title) {
  const made = shape("path", { class: "mark", d: markPath(form, at.X(x), at.Y(y), radius), fill: colour, "data-x": x, "data-y": y }, at.root);
  if (title) shape("title", {}, made, title);
  return made;
}

const line = (at, xs, ys) => xs.map((x, i) => `${i ? "L" : "M"}${at.X(x).toFixed(1)} ${at.Y(ys[i]).toFixed(1)}`).join("");

function range(values, pad) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  const room = pad * (high - low || Math.abs(high) || 1);
  return [low - room, high + room];
}

// Two spectra over the same index.
function drawSpectra(box, width, spectra, shown, height) {
  const series = spectra.map((s) => s.values.slice(0, shown));
  const count = Math.max(...series.map((s) => s.length));
  const top = Math.max(...series.flat()) || 1;
  const at = axes(box, width, {
    x: [0.5, count + 0.5], y: [0, 1.05 * top], xName: "index k", yName: "eigenvalue", whole: true, height,
    label: `The ${count} smallest eigenvalues of ${spectra.map((s) => s.name).join(" and of ")}`,
  });
  const radius = count > 200 ? 1.6 : count > 60 ? 2.4 : 3.6;
  series.forEach((values, i) => {
    values.forEach((v, k) => {
      const made = mark(at, k + 1, v, FORMS[i], legible(categoryColour(i)), radius, `eigenvalue ${k + 1} of ${spectra[i].name}: ${number(v)}`);
      made.dataset.series = spectra[i].name;
    });
  });
}

// How far each eigenvalue went down: lambda_k(S) / lambda_k(L).
function drawCompression(box, width, ratios, shown) {
  const kept = ratios.slice(0, shown);
  const at = axes(box, width, {
    x: [0.5, kept.length + 0.5], y: [0, Math.max(1.08, ...kept)], xName: "index k", whole: true,
    yName: "eigenvalue of S / of L", label: "Eigenvalue of S divided by the eigenvalue of L with the same index",
  });
  shape("line", { x1: at.left, x2: at.right, y1: at.Y(1), y2: at.Y(1), stroke: legible(categoryColour(1)), "stroke-width": 2, "stroke-dasharray": "6 4" }, at.root);
  const radius = kept.length > 200 ? 1.6 : kept.length > 60 ? 2.4 : 3.6;
  kept.forEach((v, k) => v !== null && mark(at, k + 1, v, "circle", legible(categoryColour(0)), radius, `index ${k + 1}: ${number(v)}`));
}

function drawScatter(box, width, options) {
  const { xs, ys, colouring, names, chosen, onChoose } = options;
  const paint = painter(colouring);
  const at = axes(box, width, { x: range(xs, 0.06), y: range(ys, 0.06), xName: options.xName, yName: options.yName, label: options.label, height: Math.round(Math.min(width, 420)) });
  const radius = xs.length > 600 ? 2.5 : xs.length > 150 ? 3.5 : 5;
  xs.forEach((x, i) => {
    const v = colouring.values[options.nodes[i]];
    const made = mark(at, x, ys[i], paint.form(v), paint.colour(v), radius, names[options.nodes[i]]);
    made.dataset.node = options.nodes[i];
    made.classList.add("node");
    if (options.nodes[i] === chosen) made.classList.add("chosen");
    if (onChoose) made.addEventListener("click", () => onChoose(options.nodes[i]));
  });
}

// Bands of signatures: the middle of each group with its 10-90 % range, and one vertex on top.
function drawSignatures(box, width, signatures, chosen) {
  const all = signatures.groups.flatMap((g) => [...g.low, ...g.high]).concat(chosen ? chosen.values : []);
  const positive = all.filter((v) => v > 0);
  const at = axes(box, width, {
    x: [signatures.times[0], signatures.times[signatures.times.length - 1]], logX: true,
    y: [Math.min(...positive), 1.1 * Math.max(...positive)], logY: true,
    xName: "time t", yName: "heat left at the node", label: "Heat-kernel signatures by cluster", height: 340,
  });
  const times = signatures.times;
  signatures.groups.forEach((group) => {
    const up = line(at, times, group.high), down = line(at, [...times].reverse(), [...group.low].reverse());
    shape("path", { class: "band", d: up + "L" + down.slice(1) + "z", fill: categoryColour(group.colour) }, at.root);
  });
  signatures.groups.forEach((group) => {
    const path = shape("path", { d: line(at, times, group.middle), fill: "none", stroke: legible(categoryColour(group.colour)), "stroke-width": 2, "stroke-dasharray": categoryDashes(group.colour), "data-group": group.name }, at.root);
    shape("title", {}, path, group.name);
  });
  if (chosen) shape("path", { class: "one", d: line(at, times, chosen.values), fill: "none", stroke: css("--ring"), "stroke-width": 3 }, at.root);
}

// Edges by trust, random pairs as a line over them, and the threshold below which edges are in doubt.
function drawHistogram(box, width, histogram) {
  const { counts, edges, chance, threshold } = histogram;
  const top = Math.max(...counts, ...(chance || []), 1);
  const at = axes(box, width, { x: [edges[0], edges[edges.length - 1]], y: [0, 1.05 * top], xName: "trust", yName: "edges", label: "How many edges have which trust", height: 260 });
  counts.forEach((count, i) => {
    const doubted = threshold !== null && edges[i] <= threshold;
    const bar = shape("rect", { class: "mark", x: at.X(edges[i]) + 0.5, width: Math.max(at.X(edges[i + 1]) - at.X(edges[i]) - 1, 0.5), y: at.Y(count), height: at.bottom - at.Y(count), fill: legible(categoryColour(doubted ? 3 : 0)), "fill-opacity": 0.75, "data-y": count }, at.root);
    shape("title", {}, bar, `${count} edges of trust ${number(edges[i])} to ${number(edges[i + 1])}`);
  });
  if (chance) {
    const steps = chance.map((v, i) => `${at.X(edges[i]).toFixed(1)} ${at.Y(v).toFixed(1)}L${at.X(edges[i + 1]).toFixed(1)} ${at.Y(v).toFixed(1)}`);
    const path = shape("path", { d: "M" + steps.join("L"), fill: "none", stroke: css("--ring"), "stroke-width": 2, "data-chance": 1 }, at.root);
    shape("title", {}, path, "random pairs, as many as the network can hold at most");
  }
  if (threshold !== null) {
    shape("line", { x1: at.X(threshold), x2: at.X(threshold), y1: at.Y(top), y2: at.bottom, stroke: legible(categoryColour(3)), "stroke-width": 2, "stroke-dasharray": "6 4", "data-threshold": threshold }, at.root);
  }
}
