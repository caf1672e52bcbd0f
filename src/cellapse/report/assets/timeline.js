// A complex over time: one window at a time, all changes, and where the vertices of groups go.

const data = JSON.parse(byId("data").textContent);
const frames = data.frames, last = frames.length - 1;
const state = { at: 0, timer: null };
const COUNTS = ["edges", "cells"];
const LINES = ["by groups", "by edges"];
const MOST_COLUMNS = 40;
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

// Dates without a time of day, or without seconds, where no window needs them.
const times = frames.flatMap((f) => [f.from, f.to]);
const needless = [" 00:00:00", ":00"].find((end) => times.every((t) => t.includes(" ") && t.endsWith(end))) || "";
const moment = (t) => t.slice(0, t.length - needless.length);

const groupColour = (g) => (g < 0 ? css("--quiet") : categoryShade(g));

// The network: circles are made once, and take colours; edges are one path for each shade.
function drawNetwork(width) {
  const box = byId("network"), height = Math.round(Math.min(width * 0.8, 520)), pad = 14;
  clear(box);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "The network in this window" }, box);
  const [low, high] = [Math.min, Math.max].map((most) => [0, 1].map((k) => most(...data.layout.map((p) => p[k]))));
  const within = (p, k) => (high[k] > low[k] ? (p[k] - low[k]) / (high[k] - low[k]) : 0.5);
  const x = (p) => pad + within(p, 0) * (width - 2 * pad), y = (p) => pad + (1 - within(p, 1)) * (height - 2 * pad);
  const frame = frames[state.at], paths = Array.from({ length: 10 }, () => []);
  for (let e = 0; e < frame.trust.length; e++) {
    const a = data.layout[frame.edges[2 * e]], b = data.layout[frame.edges[2 * e + 1]];
    paths[frame.trust[e]].push(`M${x(a).toFixed(1)} ${y(a).toFixed(1)}L${x(b).toFixed(1)} ${y(b).toFixed(1)}`);
  }
  paths.forEach((d, i) => d.length && shape("path", { class: "edge", d: d.join(""), "stroke-opacity": 0.15 + 0.07 * i, "stroke-width": 0.7 + 0.1 * i }, svg));
  data.layout.forEach((p, i) => {
    const g = frame.groups[i], r = g < 0 ? 2.5 : 5;
    const dot = shape("circle", { class: "node", cx: x(p).toFixed(1), cy: y(p).toFixed(1), r, fill: groupColour(g) }, svg);
    shape("title", {}, dot, data.labels[i] + (g < 0 ? "" : `, group ${g}`));
  });
}

function facts() {
  const frame = frames[state.at], list = byId("facts"), legend = byId("legend");
  clear(list);
  const [edges, cells, entered, left] = frame.counts;
  const rows = [["edges", `${edges} (${entered} new, ${left} gone)`], ["cells", cells], ["groups", frame.sizes[0].length],
    ["change", `${number(frame.change[0])} by groups, ${number(frame.change[1])} by edges`]];
  for (const [name, value] of rows) { element("dt", {}, list, name); element("dd", {}, list, String(value)); }
  clear(legend);
  frame.sizes[0].forEach((g, i) => {
    const item = element("li", {}, legend);
    drawSign(item, "circle", groupColour(g));
    element("span", {}, item, `group ${g}: ${frame.sizes[1][i]}`);
  });
}

// The same axis for all lines over the windows; a click goes to one.
function overTime(box, width, height, name, left) {
  const right = 8, top = 8, bottom = 26;
  clear(box);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name }, box);
  const x = (i) => left + (i / Math.max(last, 1)) * (width - left - right), y = (v) => height - bottom - v * (height - top - bottom);
  const tick = (v, said) => {
    shape("path", { class: "axis", d: `M${left} ${y(v)}H${width - right}` }, svg);
    shape("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, svg, said);
  };
  const line = (values, k) => {
    const d = values.map((v, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    shape("path", { d, fill: "none", stroke: legible(categoryColour(k)), "stroke-width": 1.8, "stroke-dasharray": categoryDashes(7 * k) }, svg);
  };
  shape("text", { x: left, y: height - 6 }, svg, moment(frames[0].from));
  if (width > 300) shape("text", { x: width - right, y: height - 6, "text-anchor": "end" }, svg, moment(frames[last].from));
  svg.addEventListener("click", (event) => {
    const px = ((event.clientX - svg.getBoundingClientRect().left) / svg.clientWidth) * width;
    go(Math.round(((px - left) / (width - left - right)) * last));
  });
  const mark = (i, kind) => shape("path", { class: kind, d: `M${x(i)} ${top}V${height - bottom}` }, svg);
  return { tick, line, mark };
}

function drawCounts(width) {
  const most = Math.max(1, ...frames.flatMap((f) => f.counts.slice(0, 2)));
  const plot = overTime(byId("counts"), width, 170, "Edges and cells of every window", 12 + 7 * String(most).length);
  [0, most].forEach((v) => plot.tick(v / most, String(v)));
  COUNTS.forEach((_, k) => plot.line(frames.map((f) => f.counts[k] / most), k));
  plot.mark(state.at, "cursor");
}

function drawChange(width) {
  const plot = overTime(byId("change"), width, 180, "Change since the last window", 34);
  [0, 0.5, 1].forEach((t) => plot.tick(t, String(t)));
  data.changes.map((t) => frames.findIndex((f) => f.from === t)).filter((i) => i >= 0).forEach((i) => plot.mark(i, "change"));
  LINES.forEach((_, k) => plot.line(frames.map((f) => f.change[k]), k));
  plot.mark(state.at, "cursor");
}

// Groups as bars side by side, and ribbons for the vertices that they share.
function drawAlluvial(width) {
  const box = byId("alluvial"), height = 260, top = 6, bottom = 24;
  clear(box);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Groups over time" }, box);
  const filled = frames.map((_, i) => i).filter((i) => frames[i].sizes[0].length);
  if (!filled.length) return;
  const n = Math.min(filled.length, Math.max(2, Math.min(MOST_COLUMNS, Math.floor(width / 24))));
  const columns = n === 1 ? [filled[0]] : Array.from({ length: n }, (_, i) => filled[Math.round((i / (n - 1)) * (filled.length - 1))]);
  const members = columns.map((i) => frames[i].all || frames[i].groups);
  const total = Math.max(...members.map((g) => g.filter((v) => v >= 0).length), 1);
  const gap = 3, bar = Math.max(4, Math.min(12, width / n / 4)), scale = (height - top - bottom - 12 * gap) / total;
  const x = (c) => (n > 1 ? (c / (n - 1)) * (width - bar) : 0);
  const stacks = members.map((groups) => {
    const count = new Map();
    groups.forEach((g) => g >= 0 && count.set(g, (count.get(g) || 0) + 1));
    let y = top;
    return new Map([...count.keys()].sort((a, b) => a - b).map((g) => {
      const part = { y, h: scale * count.get(g), out: 0, in: 0 };
      y += part.h + gap;
      return [g, part];
    }));
  });
  for (let c = 0; c + 1 < columns.length; c++) {
    const flows = new Map();
    members[c].forEach((g, v) => {
      const to = members[c + 1][v];
      if (g >= 0 && to >= 0) flows.set(`${g} ${to}`, (flows.get(`${g} ${to}`) || 0) + 1);
    });
    const x0 = x(c) + bar, x1 = x(c + 1), mid = (x0 + x1) / 2;
    [...flows].map(([key, count]) => [...key.split(" ").map(Number), count]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).forEach(([g, to, count]) => {
      const a = stacks[c].get(g), b = stacks[c + 1].get(to), h = scale * count;
      const y0 = a.y + a.out, y1 = b.y + b.in;
      a.out += h; b.in += h;
      shape("path", { d: `M${x0} ${y0}C${mid} ${y0} ${mid} ${y1} ${x1} ${y1}V${y1 + h}C${mid} ${y1 + h} ${mid} ${y0 + h} ${x0} ${y0 + h}Z`, fill: groupColour(g), "fill-opacity": 0.35 }, svg);
    });
  }
  stacks.forEach((stack, c) => stack.forEach((part, g) => {
    const rect = shape("rect", { x: x(c), y: part.y, width: bar, height: Math.max(part.h, 0.5), fill: groupColour(g) }, svg);
    shape("title", {}, rect, `group ${g}, ${moment(frames[columns[c]].from)}`);
  }));
  const now = columns.reduce((best, i, c) => (Math.abs(i - state.at) < Math.abs(columns[best] - state.at) ? c : best), 0);
  shape("path", { class: "cursor", d: `M${x(now) + bar / 2} ${height - bottom + 2}v8` }, svg);
  shape("text", { x: 0, y: height - 4 }, svg, moment(frames[columns[0]].from));
  shape("text", { x: width, y: height - 4, "text-anchor": "end" }, svg, moment(frames[columns[n - 1]].from));
}

const redraw = [figure(byId("network"), drawNetwork), figure(byId("counts"), drawCounts), figure(byId("change"), drawChange), figure(byId("alluvial"), drawAlluvial)];

function go(i) {
  state.at = Math.min(Math.max(i, 0), last);
  byId("at").value = state.at;
  byId("when").textContent = `${moment(frames[state.at].from)} to ${moment(frames[state.at].to)}`;
  facts();
  redraw.forEach((paint) => paint());
}

function play(on) {
  clearInterval(state.timer);
  state.timer = on ? setInterval(() => (state.at === last ? play(false) : go(state.at + 1)), reduced.matches ? 1200 : 300) : null;
  byId("play").textContent = on ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(on));
}

byId("at").addEventListener("input", (event) => { play(false); go(Number(event.target.value)); });
byId("play").addEventListener("click", () => { if (!state.timer && state.at === last) go(0); play(!state.timer); });
addEventListener("keydown", (event) => {
  if (event.target.closest("button, input")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -last, End: last }[event.key];
  if (step !== undefined) { play(false); go(state.at + step); event.preventDefault(); }
  if (event.key === " ") { byId("play").click(); event.preventDefault(); }
});
drawLineLegend(byId("change-legend"), LINES.map((name, k) => ({ name, colour: 8 * k })));
drawLineLegend(byId("counts-legend"), COUNTS.map((name, k) => ({ name, colour: 8 * k })));
repaintMore.push(facts);
go(0);
