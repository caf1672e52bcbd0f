"use strict";
// Small helpers of every drawing: elements, colours, scales. No library, no address.

const NAMESPACE = document.querySelector("svg").namespaceURI;
const byId = (id) => document.getElementById(id);

function element(tag, attributes, parent, text) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}

function shape(tag, attributes, parent, text) {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}

const clear = (node) => node.replaceChildren();
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Okabe and Ito's colours for categories. Beyond seven the form of the mark changes, too: no
// reader tells twelve hues apart.
const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442"];
const FORMS = ["circle", "square", "triangle", "diamond"];
const VIRIDIS = ["#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C", "#28AE80", "#5EC962", "#ADDC30", "#FDE725"];

const categoryColour = (i) => PALETTE[i % PALETTE.length];
// Where there are no forms, as in a ribbon, shades: plain, light, dark, lighter.
const SHADES = [[0, "#000000"], [0.55, "#ffffff"], [0.45, "#000000"], [0.8, "#ffffff"]];
function categoryShade(i) {
  const [much, towards] = SHADES[Math.floor(i / PALETTE.length) % SHADES.length];
  return blend(categoryColour(i), towards, much);
}
const categoryForm = (i) => FORMS[Math.floor(i / PALETTE.length) % FORMS.length];
const categoryDashes = (i) => ["", "7 3", "2 3", "9 3 2 3"][Math.floor(i / PALETTE.length) % 4];

function blend(a, b, t) {
  const part = (c, at) => parseInt(c.slice(at, at + 2), 16);
  const mix = [1, 3, 5].map((at) => Math.round(part(a, at) + t * (part(b, at) - part(a, at))));
  return "#" + mix.map((v) => v.toString(16).padStart(2, "0")).join("");
}

// A colour on its own, without an outline: as dark, or light, as it takes to stand out (3 to 1).
function legible(colour) {
  const light = (c) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(c.slice(at, at + 2), 16) / 255).map((v) => (v <= 0.04 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const ground = light(css("--card")), towards = ground > 0.5 ? "#000000" : "#ffffff";
  for (let t = 0; t < 1; t += 0.1) {
    const mixed = blend(colour, towards, t), shine = light(mixed);
    if (Math.max(shine, ground) / Math.min(shine, ground) >= 3) return mixed;
  }
  return towards;
}

function viridis(t) {
  const at = Math.min(Math.max(t, 0), 1) * (VIRIDIS.length - 1);
  const low = Math.min(Math.floor(at), VIRIDIS.length - 2);
  return blend(VIRIDIS[low], VIRIDIS[low + 1], at - low);
}

function diverging(t) {
  const clipped = Math.min(Math.max(t, -1), 1);
  return blend(css("--neutral"), css(clipped < 0 ? "--cold" : "--warm"), Math.abs(clipped));
}

// A colouring turns the value of a vertex into a colour and a form.
function painter(colouring) {
  // A category has a number and, apart from it, a place in the palette.
  const at = (v) => (colouring.colours ? colouring.colours[v] : v);
  if (colouring.kind === "category" && colouring.shades)
    return { colour: (v) => (v < 0 ? css("--quiet") : categoryShade(at(v))), form: () => "circle" };
  if (colouring.kind === "category")
    return {
      colour: (v) => (v < 0 ? css("--quiet") : categoryColour(at(v))),
      form: (v) => (v < 0 ? "circle" : categoryForm(at(v))),
    };
  const known = colouring.values.filter((v) => v !== null);
  if (colouring.kind === "diverging") {
    const top = Math.max(...known.map(Math.abs), 1e-300);
    return { colour: (v) => (v === null ? css("--quiet") : diverging(v / top)), form: () => "circle", low: -top, high: top };
  }
  const low = Math.min(...known), high = Math.max(...known);
  const scaled = (v) => (high > low ? (v - low) / (high - low) : 0.5);
  return { colour: (v) => (v === null ? css("--quiet") : viridis(scaled(v))), form: () => "circle", low, high };
}

function number(v) {
  if (v === null || v === undefined) return "";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e6 || size < 1e-3) return v.toExponential(1).replace(".0e", "e").replace("e+", "e");
  return Number(v.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

function markPath(form, x, y, r) {
  if (form === "square") return `M${x - 0.88 * r} ${y - 0.88 * r}h${1.76 * r}v${1.76 * r}h${-1.76 * r}z`;
  if (form === "triangle") return `M${x} ${y - 1.2 * r}L${x + 1.1 * r} ${y + 0.8 * r}L${x - 1.1 * r} ${y + 0.8 * r}z`;
  if (form === "diamond") return `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z`;
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

function drawSign(parent, form, colour) {
  const sign = shape("svg", { width: 14, height: 14, "aria-hidden": "true" }, parent);
  shape("path", { class: "node", d: markPath(form, 7, 7, 5), fill: colour }, sign);
}

// The two series of the spectrum.
function drawSpectraLegend(list) {
  clear(list);
  ["S, collapsed", "L, graph Laplacian"].forEach((name, i) => {
    const item = element("li", {}, list);
    drawSign(item, FORMS[i], legible(categoryColour(i)));
    element("span", {}, item, name);
  });
}

// A title, then the categories that the nodes have, or a ramp.
function drawLegend(list, colouring, nodes) {
  clear(list);
  const paint = painter(colouring);
  if (colouring.name) element("li", { class: "quiet" }, list, colouring.name);
  if (colouring.kind === "category") {
    const there = nodes && new Set(nodes.map((node) => colouring.values[node]));
    colouring.names.forEach((name, i) => {
      if (!name || (there && !there.has(i))) return;
      const item = element("li", {}, list);
      drawSign(item, paint.form(i), paint.colour(i));
      element("span", {}, item, name);
    });
    return;
  }
  const item = element("li", {}, list);
  element("span", {}, item, number(paint.low));
  const ramp = shape("svg", { width: 140, height: 12, "aria-hidden": "true" }, item);
  for (let i = 0; i < 28; i++) {
    const value = paint.low + ((i + 0.5) / 28) * (paint.high - paint.low);
    shape("rect", { x: 5 * i, y: 0, width: 5.2, height: 12, fill: paint.colour(value) }, ramp);
  }
  element("span", {}, item, number(paint.high));
}

function drawLineLegend(list, groups) {
  clear(list);
  groups.forEach(({ name, colour: i }) => {
    const item = element("li", {}, list);
    const sign = shape("svg", { width: 30, height: 12, "aria-hidden": "true" }, item);
    shape("path", { d: "M1 6H29", stroke: legible(categoryColour(i)), "stroke-width": 2.5, "stroke-dasharray": categoryDashes(i) }, sign);
    element("span", {}, item, name);
  });
}

function niceTicks(low, high, wanted) {
  const raw = (high - low) / Math.max(wanted, 1) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) ticks.push(Math.abs(t) < 1e-9 * step ? 0 : t);
  return ticks;
}

function logTicks(low, high) {
  const ticks = [];
  for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++) ticks.push(10 ** p);
  return ticks.length > 1 ? ticks : [low, high];
}

// Drawings are painted for the width they have, so that text keeps its size on a phone.
const figures = [];
function figure(box, paint) {
  const entry = { box, paint, width: 0 };
  figures.push(entry);
  new ResizeObserver(() => {
    const width = Math.round(box.clientWidth);
    if (width && width !== entry.width) { entry.width = width; paint(width); }
  }).observe(box);
  return () => { if (entry.width) paint(entry.width); };
}

const repaintMore = [];
const repaint = () => { figures.forEach((f) => f.width && f.paint(f.width)); repaintMore.forEach((paint) => paint()); };
const systemDark = matchMedia("(prefers-color-scheme: dark)");
systemDark.addEventListener("change", repaint);
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches;
  root.dataset.theme = dark ? "light" : "dark";
  repaint();
});
// Paper is white, and about 660 pixels wide.
let before;
addEventListener("beforeprint", () => {
  before = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  repaint();
  figures.forEach((f) => f.paint(f.box.closest(".pair") ? 320 : 660));
});
addEventListener("afterprint", () => {
  if (before) document.documentElement.dataset.theme = before;
  else delete document.documentElement.dataset.theme;
  repaint();
});
