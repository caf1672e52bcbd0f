// The embedding in three dimensions on a canvas: drag or arrow keys turn it.

function makeCloud(box, points, nodes, state) {
  const canvas = element("canvas", { tabindex: 0, role: "img", "aria-label": "The embedding in three dimensions; arrow keys turn it" }, box);
  const angle = { around: 0.6, up: 0.35 };
  let width = 0;

  function paint(w) {
    width = w;
    const height = Math.round(Math.min(w, 420)), sharp = Math.max(devicePixelRatio || 1, 2);
    canvas.width = width * sharp;
    canvas.height = height * sharp;
    canvas.style.height = height + "px";
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    const places = points();
    const spans = [0, 1, 2].map((k) => range(places.map((p) => p[k] ?? 0), 0));
    const half = Math.max(...spans.map(([low, high]) => (high - low) / 2), 1e-12);
    const [ca, sa, cu, su] = [Math.cos(angle.around), Math.sin(angle.around), Math.cos(angle.up), Math.sin(angle.up)];
    const centred = (p) => [0, 1, 2].map((k) => ((p[k] ?? 0) - (spans[k][0] + spans[k][1]) / 2) / half);
    // So small that no point leaves the picture, however it is turned: 3.2 is the eye's distance.
    const reach = Math.max(1, ...places.map((p) => Math.hypot(...centred(p))));
    const scale = ((Math.min(width, height) / 2 - 12) * Math.sqrt(3.2 ** 2 - reach ** 2)) / (3.2 * reach);
    const project = (p) => {
      const [x, y, z] = centred(p);
      const a = ca * x + sa * z, depth = -sa * x + ca * z;
      const b = cu * y - su * depth, far = su * y + cu * depth;
      const near = 3.2 / (3.2 + far);
      return [width / 2 + scale * a * near, height / 2 - scale * b * near, far, near];
    };
    const middle = spans.map(([low, high]) => (low + high) / 2);
    pen.lineWidth = 1;
    pen.font = "12px system-ui, sans-serif";
    [0, 1, 2].forEach((k) => {
      const from = [...middle], to = [...middle];
      from[k] -= half; to[k] += half;
      const [a, b] = [project(from), project(to)];
      pen.strokeStyle = css("--line");
      pen.beginPath(); pen.moveTo(a[0], a[1]); pen.lineTo(b[0], b[1]); pen.stroke();
      pen.fillStyle = css("--quiet");
      pen.fillText(state.axisNames[k], b[0] + 4, b[1]);
    });
    const painted = painter(state.colouring);
    const radius = places.length > 600 ? 2.5 : places.length > 150 ? 3.5 : 5;
    places.map((p, i) => [project(p), nodes[i]]).sort((p, q) => q[0][2] - p[0][2]).forEach(([[x, y, , near], node]) => {
      const v = state.colouring.values[node];
      const path = new Path2D(markPath(painted.form(v), x, y, radius * near));
      pen.fillStyle = painted.colour(v);
      pen.strokeStyle = node === state.chosen ? css("--ring") : css("--outline");
      pen.lineWidth = node === state.chosen ? 3 : 0.8;
      pen.fill(path);
      pen.stroke(path);
    });
  }

  function turn(around, up) {
    angle.around += around;
    angle.up = Math.min(1.5, Math.max(-1.5, angle.up + up));
    paint(width);
  }
  let last = null;
  canvas.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
  // A finger that moves up or down scrolls the page, which takes the pointer away.
  ["pointerup", "pointercancel"].forEach((end) => canvas.addEventListener(end, () => { last = null; }));
  canvas.addEventListener("pointermove", (e) => {
    if (!last) return;
    turn((e.clientX - last[0]) / 120, (e.clientY - last[1]) / 120);
    last = [e.clientX, e.clientY];
  });
  canvas.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] }[e.key];
    if (step) { e.preventDefault(); turn(...step); }
  });
  box.classList.add("free");
  return figure(box, paint);
}
