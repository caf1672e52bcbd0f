// The explorer in a notebook: its page in a frame of its own, and what passes between it and the kernel.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");  // an origin of its own: it reaches nothing of the notebook
  frame.setAttribute("allow", "clipboard-write");
  frame.title = "Explorer";
  frame.style.cssText = "width: 100%; border: 0";
  frame.srcdoc = model.get("_page");
  const key = model.get("_key");
  const tell = (message) => frame.contentWindow && frame.contentWindow.postMessage({ cellapse: key, ...message }, "*");
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || !data || data.cellapse !== key) return;
    if (data.question) model.set("_question", data.question);
    if ("chosen" in data) model.set("_chosen", data.chosen);
    model.save_changes();
  };
  const told = {
    "change:_answer": () => tell({ answer: JSON.parse(model.get("_answer")) }),
    "change:settings": () => tell({ settings: model.get("settings") }),
    "change:_chosen": () => tell({ chosen: model.get("_chosen") }),
    "change:height": () => { frame.style.height = model.get("height") + "px"; },
  };
  told["change:height"]();
  frame.addEventListener("load", () => {
    tell({ settings: model.get("settings") });
    tell({ chosen: model.get("_chosen") });
  });
  addEventListener("message", hear);
  Object.entries(told).forEach(([name, call]) => model.on(name, call));
  el.appendChild(frame);
  return () => {
    removeEventListener("message", hear);
    Object.entries(told).forEach(([name, call]) => model.off(name, call));
  };
}

export default { render };
