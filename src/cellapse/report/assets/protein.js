// A protein, three times the same: coloured by DSSP, by a mode, by cluster. Drawn by 3Dmol.js.

const protein = data.protein;
const library = window["3Dmol"] || window.$3Dmol;
const atomNames = ["N", "CA", "C", "O"], ribbons = { helix: "h", strand: "s" };
const residueAt = {};
protein.numbers.forEach((n, i) => { residueAt[n] = i; });
const atoms = protein.backbone.flatMap((row, i) => atomNames.map((atom, k) => ({
  atom, elem: atom[0], resi: protein.numbers[i], resn: protein.names[i], chain: "A", ss: ribbons[protein.dssp[i]] || "c",
  x: row[3 * k], y: row[3 * k + 1], z: row[3 * k + 2], serial: 4 * i + k, hetflag: false,
})));

const named = (name) => data.colourings.find((c) => c.name === name);
const modes = data.colourings.filter((c) => /^Eigenvector \d+ of S$/.test(c.name));
modes.forEach((c, i) => element("option", { value: i }, byId("mode"), c.name));
const views = { "by-dssp": () => named("Attribute dssp"), "by-mode": () => modes[Number(byId("mode").value)], "by-cluster": () => data.colourings[0] };
const viewers = {};

function paintViewer(id) {
  const colouring = { ...views[id](), shades: true }, paint = painter(colouring);
  viewers[id].setBackgroundColor(css("--card"));
  viewers[id].setStyle({}, { cartoon: { arrows: true, colorfunc: (atom) => paint.colour(colouring.values[residueAt[atom.resi]]) } });
  viewers[id].render();
  byId(id).dataset.colouring = colouring.name;
  drawLegend(byId(id).parentNode.querySelector(".legend"), { ...colouring, name: "" });
}

try {
  Object.keys(views).forEach((id) => {
    viewers[id] = library.createViewer(byId(id), { backgroundColor: css("--card") });
    const model = viewers[id].addModel();
    model.addAtoms(atoms.map((a) => ({ ...a })));
    viewers[id].zoomTo();
    paintViewer(id);
  });
  let turning = false;
  Object.entries(viewers).forEach(([id, viewer]) => viewer.setViewChangeCallback((view) => {
    if (turning) return;
    turning = true;
    Object.entries(viewers).forEach(([other, v]) => { if (other !== id) v.setView(view); });
    turning = false;
  }));
  const turns = { ArrowLeft: [-10, "y"], ArrowRight: [10, "y"], ArrowUp: [-10, "x"], ArrowDown: [10, "x"] };
  Object.keys(views).forEach((id) => byId(id).addEventListener("keydown", (e) => {
    if (!turns[e.key]) return;
    e.preventDefault();
    viewers[id].rotate(...turns[e.key]);
    viewers[id].render();
  }));
} catch (error) {
  document.querySelectorAll(".molecule").forEach((box) => { box.textContent = "This browser cannot draw in three dimensions (no WebGL)."; });
}
byId("mode").addEventListener("change", () => { showMode(); paintViewer("by-mode"); });
const showMode = () => { byId("mode-name").textContent = modes[Number(byId("mode").value)].name; };
showMode();
repaintMore.push(() => Object.keys(viewers).forEach(paintViewer));
