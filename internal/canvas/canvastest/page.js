// A page without a browser: enough of a document for the scripts of this repository, with a canvas that writes down what is drawn on it.
// The page is read from standard input, the events from the arguments; the drawings go to standard output.
"use strict";
const html = require("fs").readFileSync(0, "utf8");
const lines = [];

class Element {
  constructor(tag) { this.tag = tag; this.style = {}; this.attributes = {}; this.children = []; this.listeners = {}; this.text = ""; elements.push(this); }
  set textContent(s) { this.text = s; lines.push("text " + s); }
  get textContent() { return this.text; }
  set innerHTML(s) { lines.push("html " + s); }
  get clientWidth() { return 520; }
  setAttribute(k, v) { this.attributes[k] = v; }
  appendChild(e) { this.children.push(e); }
  addEventListener(type, f) { (this.listeners[type] = this.listeners[type] || []).push(f); }
  dispatch(type, e) { (this.listeners[type] || []).forEach((f) => f(e)); }
  remove() {}
  focus() {}
  setPointerCapture() {}
  querySelector(s) { return this.parts[s]; }
  getContext() { return (this.context = this.context || recorder(this)); }
}
const elements = [];

// A path is written as its length, its extent and its mean.
function recorder(canvas) {
  let path = [], kinds = "";
  const state = {};
  const point = (kind) => (...v) => { kinds += kind; path.push(v.slice(0, 2)); };
  const range = (k) => {
    const v = path.map((p) => p[k]);
    return [Math.min(...v), v.reduce((a, b) => a + b, 0) / v.length, Math.max(...v)].map((x) => x.toFixed(2)).join("<");
  };
  const paint = (what, color, ...more) => () => {
    if (path.length) lines.push([what, state[color], ...more.map((k) => state[k]), kinds.length + " pieces", range(0), range(1)].join(" "));
  };
  const number = (v) => (typeof v === "number" ? v.toFixed(2) : v);
  const methods = {
    beginPath() { path = []; kinds = ""; },
    moveTo: point("m"), lineTo: point("l"), arc: (x, y, r) => { kinds += "a"; path.push([x - r, y - r], [x + r, y + r]); },
    stroke: paint("stroke", "strokeStyle", "lineWidth"), fill: paint("fill", "fillStyle", "globalAlpha"),
    createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }),
    putImageData(img) {
      const n = img.data.length / 16, parts = [];
      for (let k = 0; k < 16; k++) {
        let sum = 0;
        for (let i = Math.floor(k * n); i < Math.floor((k + 1) * n); i++) sum += img.data[i];
        parts.push((sum / n / 255).toFixed(3));
      }
      lines.push("image " + parts.join(" "));
    },
    drawImage: (img, ...v) => lines.push("drawImage " + v.map(number).join(" ")),
    strokeText() {},
    fillText: (s, x, y) => lines.push(["fillText", s, number(x), number(y), state.font, state.fillStyle, state.textAlign].join(" ")),
  };
  return new Proxy(state, {
    get: (_, name) => (name in state ? state[name] : methods[name] || ((...v) => lines.push([name, ...v.map(number)].join(" ")))),
    set: (_, name, value) => { state[name] = value; return true; },
  });
}

const root = new Element("div");
root.parts = { ".swlab-data": { textContent: /class="swlab-data">([^]*?)<\/script>/.exec(html)[1] }, ".swlab-message": root };
globalThis.window = { devicePixelRatio: 1 };
globalThis.document = { createElement: (tag) => new Element(tag), querySelectorAll: () => [root] };
globalThis.requestAnimationFrame = (f) => f();
const code = /<script>\n([^]*?)<\/script>/.exec(html)[1];
lines.push("# start");
new Function(code)();
for (const event of process.argv.slice(1)) {
  lines.push("# " + event);
  const [type, which, value] = event.split(" ");
  const matching = elements.filter((e) => e.listeners[type]);
  const e = type === "input" ? matching[+which] : matching[0];
  if (type === "input") e.value = value;
  e.dispatch(type, { key: which, clientX: +which, clientY: +value, pointerId: 1, preventDefault() {}, stopPropagation() {} });
}
process.stdout.write(lines.join("\n") + "\n");
