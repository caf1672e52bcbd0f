// The complex: cells of rank 2 and more as faint areas, edges as wide as what they keep, vertices
// on top. Drag or arrow keys move, + and - zoom.

function makeNetwork(box, data, state) {
  const view = { zoom: 1, x: 0, y: 0 };
  let layer, size, cells = { width: 0, drawn: null };

  function hull(points) {
    const middle = [0, 1].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
    return [...points].sort((a, b) => Math.atan2(a[1] - middle[1], a[0] - middle[0]) - Math.atan2(b[1] - middle[1], b[0] - middle[0]));
  }

  function place() {
    const { width, height } = size;
    const cx = width / 2, cy = height / 2;
    layer.setAttribute("transform", `translate(${cx + view.x} ${cy + view.y}) scale(${view.zoom}) translate(${-cx} ${-cy})`);
  }

  // Cells stay where they are when colours change: drawn once for every width.
  function drawCells(at) {
    const opacity = Math.min(0.3, Math.max(0.03, 12 / Math.max(data.network.cells.length, 1)));
    const group = shape("g", { "fill-opacity": opacity, "data-layer": "cells" });
    const point = (p) => p[0].toFixed(1) + " " + p[1].toFixed(1);
    for (const cell of data.network.cells)
      shape("path", { class: "cell", d: "M" + hull(cell.map((i) => at[i])).map(point).join("L") + "z" }, group);
    return group;
  }

  function paint(width) {
    clear(box);
    const xy = data.network.xy, nodes = data.network.nodes;
    const tall = range(xy.map((p) => p[1]), 0), high = Math.max(tall[1] - tall[0], 0.3);
    const height = Math.round(Math.min(width * Math.min(high + 0.06, 0.8), 640));
    size = { width, height };
    const scale = Math.min(width * 0.95, (height * 0.93) / high);
    const at = xy.map(([x, y]) => [width / 2 + scale * (x - 0.5), height / 2 + scale * (y - (tall[0] + tall[1]) / 2)]);
    const root = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img", "aria-label": data.network.label }, box);
    layer = shape("g", {}, root);
    place();
    if (state.showCells) {
      if (cells.width !== width) cells = { width, drawn: drawCells(at) };
      layer.appendChild(cells.drawn);
    }
    // Ten widths are enough for the eye, and ten paths draw quickly. The weakest stays visible,
    // and the strongest is strong, also where all are damped.
    const bins = Array.from({ length: 10 }, () => []);
    const most = Math.max(1e-12, ...data.network.edges.map((edge) => edge[2]));
    for (const [i, j, share] of data.network.edges) bins[state.showShares ? Math.min(9, Math.floor((10 * share) / most)) : 4].push([i, j]);
    const joined = (pairs) => pairs.map(([i, j]) => `M${at[i][0].toFixed(1)} ${at[i][1].toFixed(1)}L${at[j][0].toFixed(1)} ${at[j][1].toFixed(1)}`).join("");
    const group = shape("g", { "data-layer": "edges" }, layer);
    const busy = Math.min(1, 900 / Math.max(data.network.edges.length, 1)) ** 0.4;
    bins.forEach((edges, b) => {
      if (!edges.length) return;
      shape("path", { class: "edge", d: joined(edges), "stroke-width": 0.8 + 0.14 * b * busy, "stroke-opacity": Math.max(0.2, (0.3 + 0.055 * b) * busy) }, group);
    });
    if (state.showDoubted && data.network.doubted && data.network.doubted.length)
      shape("path", { class: "doubted", fill: "none", d: joined(data.network.doubted.map((e) => data.network.edges[e])), stroke: legible(categoryColour(3)), "stroke-width": 1.4, "stroke-dasharray": "5 3", "stroke-opacity": 0.9 }, group);
    if (state.showMatter && data.network.matter)
      for (const { cell } of data.network.matter)
        shape("path", { class: "matter", d: "M" + hull(cell.map((i) => at[i])).map((p) => p.map((v) => v.toFixed(1)).join(" ")).join("L") + "z", fill: categoryColour(1), "fill-opacity": 0.35, stroke: legible(categoryColour(1)), "stroke-width": 3 }, group);
    const painted = painter(state.colouring);
    const radius = Math.max(2, Math.min(8, (0.16 * width) / Math.sqrt(nodes.length)));
    const top = shape("g", { "data-layer": "nodes" }, layer);
    nodes.forEach((node, i) => {
      const v = state.colouring.values[node];
      const made = shape("path", { class: "node", d: markPath(painted.form(v), at[i][0], at[i][1], radius), fill: painted.colour(v), "data-node": node }, top);
      if (node === state.chosen) made.classList.add("chosen");
      if (state.marked && state.marked.has(node)) made.classList.add("marked");
      shape("title", {}, made, data.labels[node]);
      made.addEventListener("click", () => state.choose(node));
    });
    if (state.showLabels)
      nodes.forEach((node, i) => shape("text", { class: "label", x: at[i][0] + radius + 2, y: at[i][1] + 3.5 }, top, data.labels[node]));
    else if (state.chosen !== null) {
      const i = nodes.indexOf(state.chosen);
      if (i >= 0) shape("text", { class: "label", x: at[i][0] + radius + 2, y: at[i][1] + 3.5 }, top, data.labels[state.chosen]);
    }
    listen(root);
  }

  function zoom(factor) {
    view.zoom = Math.min(20, Math.max(0.5, view.zoom * factor));
    place();
  }
  function move(dx, dy) { view.x += dx; view.y += dy; place(); }
  function reset() { Object.assign(view, { zoom: 1, x: 0, y: 0 }); place(); }

  function listen(root) {
    let last = null;
    root.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; });
    root.addEventListener("pointermove", (e) => {
      if (!last || !e.buttons) { last = null; return; }
      move(e.clientX - last[0], e.clientY - last[1]);
      last = [e.clientX, e.clientY];
    });
    root.addEventListener("wheel", (e) => { if (e.ctrlKey || e.metaKey) { e.preventDefault(); zoom(e.deltaY < 0 ? 1.15 : 1 / 1.15); } }, { passive: false });
    root.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[e.key];
      if (step) move(...step);
      else if (e.key === "+" || e.key === "=") zoom(1.25);
      else if (e.key === "-") zoom(0.8);
      else if (e.key === "0") reset();
      else return;
      e.preventDefault();
    });
  }

  box.classList.add("free");
  const draw = figure(box, paint);
  return { draw, zoom, reset };
}
