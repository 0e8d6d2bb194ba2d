"use strict";
// --- the Go program --------------------------------------------------------------------------------------------

const $ = id => document.getElementById(id);
// Five letters are four bytes; z is four zeros, and v to y and { stand for letters that mean something in a page.
function ascii85(text) {
  const digits = new Uint8Array(128), out = new Uint8Array(4 * text.length), group = [];
  for (let c = 33; c < 118; c++) digits[c] = c - 33;
  ["<", "\\", '"', ">", "&"].forEach((c, i) => { digits["vwxy{".charCodeAt(i)] = c.charCodeAt(0) - 33; });
  let n = 0;
  const put = size => {
    const value = group.reduce((sum, d) => 85 * sum + d, 0);
    for (let k = 0; k < size; k++) out[n++] = Math.floor(value / 256 ** (3 - k)) % 256;
    group.length = 0;
  };
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 122) { n += 4; continue; }
    group.push(digits[c]);
    if (group.length === 5) put(4);
  }
  const left = group.length;
  if (left) { while (group.length < 5) group.push(84); put(left - 1); }
  return out.slice(0, n);
}
async function unpack(text) {
  const raw = ascii85(text);
  return new Uint8Array(await new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
// Questions wait in the order of ORDER. Of one kind only the latest waits; one that it replaces is never answered. Nor is one about clouds
// that change.
const ORDER = ["shape", "cloud", "match", "slice", "descend", "landscape", "vmf_samples", "distance", "ascent", "direction"];
const CHANGES = ORDER.slice(0, 3);
const waiting = new Map();
let worker, asked = null, last = 0, forgotten = 0, changing = false;
// ask calls a function of package calls. Settings are texts or what becomes one; arrays are { name: values } or, of several rows, { name: [values, ...shape] }.
// The answer has the values of its arrays by their names; of an array without a shape the number, null where it is none.
function ask(fn, settings = {}, arrays = {}, seed = 0, key = fn) {
  if (changing && !CHANGES.includes(fn)) return new Promise(() => {});
  const question = { function: fn, seed, settings: {}, arrays: [] }, data = [];
  for (const name in settings) question.settings[name] = String(settings[name]);
  for (const name in arrays) {
    const [values, ...shape] = Array.isArray(arrays[name][0]) || ArrayBuffer.isView(arrays[name][0]) ? arrays[name] : [arrays[name], arrays[name].length];
    const numbers = ArrayBuffer.isView(values) ? values : Float32Array.from(values);
    question.arrays.push({ name, dtype: numbers instanceof Float64Array ? "float64" : "float32", shape });
    data.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  }
  return new Promise((done, fail) => { waiting.set(key, { question, data, done, fail, forgotten }); next(); });
}
function next() {
  if (asked || !worker || !waiting.size) return;
  const key = [...waiting.keys()].sort((a, b) => ORDER.indexOf(a.split(" ")[0]) - ORDER.indexOf(b.split(" ")[0]))[0];
  asked = waiting.get(key);
  waiting.delete(key);
  worker.postMessage({ id: ++last, question: JSON.stringify(asked.question), data: asked.data });
}
const TYPES = { float32: Float32Array, float64: Float64Array, int32: Int32Array };
function answered(event) {
  const now = asked, answer = JSON.parse(event.data.answer);
  asked = null;
  if (now.forgotten !== forgotten); // the answer to nobody
  else if (answer.error) { changing = false; say(answer.error, true); now.fail(new Error(answer.error)); }
  else {
    if ($("status").className) say("");
    const out = { text: answer.text, shape: {} };
    (answer.arrays || []).forEach((a, i) => {
      const values = new TYPES[a.dtype](event.data.data[i].buffer);
      out.shape[a.name] = a.shape;
      out[a.name] = a.shape.length ? values : Number.isFinite(values[0]) ? values[0] : null;
    });
    now.done(out);
  }
  next();
}
// forget drops the questions that wait and the answer that is on its way, and stops what would ask more.
function forget() {
  waiting.clear();
  forgotten++;
  stop();
}
// change forgets. Until take has other clouds, nothing can be asked about them.
function change() {
  forget();
  changing = true;
}
async function start() {
  const inside = JSON.parse($("inside").textContent), files = {};
  $("inside").remove();
  for (const name in inside.files) files[name] = await unpack(inside.files[name]);
  const wasm = await unpack(inside.wasm);
  const made = new Worker(URL.createObjectURL(new Blob([$("support").textContent], { type: "text/javascript" })));
  await new Promise((done, fail) => {
    made.onerror = e => fail(new Error(e.message));
    made.onmessage = e => { shapes = e.data.shapes; done(); };
    made.postMessage({ wasm: wasm.buffer, files });
  });
  made.onmessage = answered;
  worker = made;
}
function say(text, error) { $("status").textContent = text; $("status").className = error ? "error" : ""; }

// --- what is shown ---------------------------------------------------------------------------------------------

const s = {
  dim: 2, x: [], y: [], theta: [Math.cos(0.6), Math.sin(0.6)], azimuth: -60, elevation: 18, seeds: { x: 1, y: 2 }, seed: 1, made: {}, slice: null, map: null,
  estimates: [], path: null, climb: null, climbed: 0, predictions: [], drawing: null, strokes: [], playing: false, sw: [], emd: [], frames: [], steps: 0,
};
const FOCUSED = ["markov", "random-path"]; // distributions with a κ
const COUNTS = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];
const NAMES = { a: "A", ea: "EA", g: "G", l: "L", la: "LA", "la-sorted": "LA, sorted", n: "N" };
const LETTERS = { a: "A", ea: "EA", g: "G", l: "L", la: "LA", "la-sorted": "LS", n: "N" };
const kappa = id => +Math.pow(10, $(id).value / 10).toPrecision(2); // of a slider in tenths of decades
const blurred = () => $("blur").checked ? kappa("blur-kappa") : "+Inf"; // which stands for F
const equal = () => s.map && s.map.costs[1] === 0, EQUAL = "Equal clouds: every direction costs 0.";
const format = v => v === null || v === undefined ? "–" : v === 0 ? "0" : Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5 ? v.toExponential(3) : v.toPrecision(4);
const unit = v => { const n = Math.hypot(...v); return v.map(c => c / n); };
const dot = (a, b) => a.reduce((sum, c, i) => sum + c * b[i], 0);
const setting = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
let paint = {};
function colours() {
  for (const name of ["ground", "card", "ink", "muted", "edge", "grid", "x", "y", "theta", "theta-text"]) paint[name] = setting(name);
  paint.map = setting("map").split(" ").map(c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)));
}
function shade(t) {
  const at = Math.max(0, Math.min(1, t)) * (paint.map.length - 1), i = Math.min(paint.map.length - 2, Math.floor(at));
  return paint.map[i].map((c, k) => c + (at - i) * (paint.map[i + 1][k] - c));
}
// A canvas of that height in the width of its place: [context, width, height].
function sheet(id, height) {
  const c = $(id), ratio = window.devicePixelRatio || 1, w = c.clientWidth, h = Math.round(height(w));
  if (c.width !== Math.round(w * ratio) || c.height !== Math.round(h * ratio)) {
    c.width = Math.round(w * ratio); c.height = Math.round(h * ratio); c.style.height = h + "px";
  }
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = "12px system-ui, 'Liberation Sans', sans-serif";
  return [g, w, h];
}
function disc(g, x, y, r, fill, rim) {
  g.beginPath(); g.arc(x, y, r, 0, 7); g.fillStyle = fill; g.fill();
  if (rim) { g.strokeStyle = rim; g.lineWidth = 1.5; g.stroke(); }
}
function line(g, points, colour, width, dash = []) {
  g.beginPath(); points.forEach(([x, y], i) => i ? g.lineTo(x, y) : g.moveTo(x, y));
  g.strokeStyle = colour; g.lineWidth = width; g.setLineDash(dash); g.lineJoin = "round"; g.stroke(); g.setLineDash([]);
}
function label(g, text, x, y, colour, align = "left", ground) {
  g.textAlign = align; g.textBaseline = "middle";
  if (ground) { g.strokeStyle = ground; g.lineWidth = 3.5; g.lineJoin = "round"; g.strokeText(text, x, y); }
  g.fillStyle = colour; g.fillText(text, x, y);
}
let drawn = {};
function redraw(...names) {
  for (const name of names.length ? names : Object.keys(DRAW)) {
    if (drawn[name]) continue;
    drawn[name] = requestAnimationFrame(() => { drawn[name] = 0; DRAW[name](); });
  }
}

// --- the clouds ------------------------------------------------------------------------------------------------

// To the right, up and towards the reader. Built-in shapes have y up: the view keeps that axis upright.
function frame() {
  if (s.dim === 2) return { right: [1, 0], up: [0, 1], fore: [0, 0] };
  const a = s.azimuth * Math.PI / 180, e = s.elevation * Math.PI / 180;
  const ca = Math.cos(a), sa = Math.sin(a), ce = Math.cos(e), se = Math.sin(e);
  return { right: [-sa, 0, ca], up: [-se * ca, ce, -se * sa], fore: [ce * ca, se, ce * sa] };
}
let scene = { scale: 1, cx: 0, cy: 0 };
function drawScene() {
  const [g, w, h] = sheet("scene", w => w > 460 ? Math.min(w * 0.7, 420) : 300), f = frame();
  const scale = scene.scale = Math.min(w, h) / 2 / 1.24, cx = scene.cx = w / 2, cy = scene.cy = h / 2;
  const at = p => [cx + scale * dot(f.right, p), cy - scale * dot(f.up, p), dot(f.fore, p)];
  const tip = at(s.theta.map(c => 1.1 * c)), tail = at(s.theta.map(c => -1.1 * c));
  disc(g, cx, cy, scale, "transparent"); g.strokeStyle = paint.grid; g.lineWidth = 1; g.stroke();
  line(g, [tail, tip], paint.theta, 1.6);
  // The projections, on their line: X on one side, Y on the other.
  const along = unit([tip[0] - cx || 1e-9, tip[1] - cy]), across = [-along[1], along[0]];
  if (s.slice) for (const [values, side, colour] of [[s.slice.x, 1, paint.x], [s.slice.y, -1, paint.y]]) {
    g.strokeStyle = colour; g.lineWidth = 1; g.globalAlpha = 0.5; g.beginPath();
    for (const v of values) {
      const q = at(s.theta.map(c => v * c));
      g.moveTo(q[0] + side * 2 * across[0], q[1] + side * 2 * across[1]); g.lineTo(q[0] + side * 9 * across[0], q[1] + side * 9 * across[1]);
    }
    g.stroke(); g.globalAlpha = 1;
  }
  const dots = [];
  for (const [cloud, kind] of [[s.x, "x"], [s.shownY || s.y, "y"]])
    for (let i = 0; i + s.dim <= cloud.length; i += s.dim) dots.push([...at(cloud.slice(i, i + s.dim)), kind]);
  if (s.dim === 3) dots.sort((a, b) => a[2] - b[2]);
  for (const [x, y, z, kind] of dots) {
    const r = s.dim === 2 ? 2.4 : 2.3 + 0.6 * z;
    g.globalAlpha = s.dim === 2 ? 0.75 : 0.55 + 0.3 * Math.max(-1, Math.min(1, z));
    g.fillStyle = paint[kind];
    if (kind === "x") { g.beginPath(); g.arc(x, y, r, 0, 7); g.fill(); } else g.fillRect(x - r * 0.9, y - r * 0.9, 1.8 * r, 1.8 * r);
  }
  g.globalAlpha = 1;
  disc(g, tip[0], tip[1], 9, paint.theta, paint.card);
  label(g, "θ", tip[0] + 17 * along[0], tip[1] + 17 * along[1], paint["theta-text"], "center", paint.card);
  for (const stroke of s.strokes) line(g, stroke.map(p => at(p)), paint[s.drawing || "x"], 6);
  $("scene-hint").textContent = s.drawing ? "Draw one or several lines, then press Done." : s.dim === 2
    ? "Drag to turn the direction θ, or use the arrow keys. Drop a file to open it as Y." : "Drag to turn the view, drag the ball θ to choose the direction. Drop a file to open it as Y.";
}
// The point of the view's plane under the pointer.
function under(event) {
  const box = $("scene").getBoundingClientRect();
  return [(event.clientX - box.left - scene.cx) / scene.scale, (scene.cy - event.clientY + box.top) / scene.scale];
}
function lift([u, v], depth) {
  const f = frame();
  return s.dim === 2 ? [u, v] : f.right.map((c, k) => u * c + v * f.up[k] + depth * f.fore[k]);
}
function nearTheta(e) {
  const f = frame(), [u, v] = under(e);
  return Math.hypot(u - 1.1 * dot(s.theta, f.right), v - 1.1 * dot(s.theta, f.up)) * scene.scale < 30;
}
// A finger on a canvas scrolls the page up and down, unless it begins where grips says.
function holdsStill(canvas, grips) {
  canvas.addEventListener("touchstart", e => { if (grips(e.touches[0])) e.preventDefault(); }, { passive: false });
}
function dragScene() {
  const canvas = $("scene");
  let held = null, from = null;
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    from = [e.clientX, e.clientY];
    if (s.drawing) { held = "draw"; s.strokes.push([lift(under(e), 0)]); return redraw("scene"); }
    held = s.dim === 2 || nearTheta(e) ? "theta" : "view";
    if (held === "theta") move(e);
  });
  function move(e) {
    if (held === "draw") { s.strokes.at(-1).push(lift(under(e), 0)); redraw("scene"); }
    if (held === "theta") {
      const [u, v] = under(e), n = Math.hypot(u, v);
      if (n < 1e-3) return;
      const r = n / 1.1, side = Math.sign(dot(s.theta, frame().fore)) || 1;
      setTheta(s.dim === 2 ? unit([u, v]) : unit(lift([u / 1.1, v / 1.1], r < 1 ? side * Math.sqrt(1 - r * r) : 0)));
    }
    if (held === "view") {
      turn((e.clientX - from[0]) * 57 / scene.scale, (e.clientY - from[1]) * 57 / scene.scale);
      from = [e.clientX, e.clientY];
    }
  }
  canvas.addEventListener("pointermove", e => held && move(e));
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = null; });
  holdsStill(canvas, e => s.drawing || nearTheta(e));
  keys(canvas, (right, up) => s.dim === 2 ? rotate(-right + up) : turn(4 * right, -4 * up));
}
function turn(right, down) {
  s.azimuth += right; s.elevation = Math.max(-89, Math.min(89, s.elevation + down));
  redraw("scene");
}
function rotate(steps) {
  const a = Math.atan2(s.theta[1], s.theta[0]) + steps * Math.PI / 90;
  setTheta([Math.cos(a), Math.sin(a)]);
}
function keys(canvas, act) {
  canvas.addEventListener("keydown", e => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
    if (step) { act(...step); e.preventDefault(); }
  });
}

// --- one direction ---------------------------------------------------------------------------------------------

// The arrays of a question about both clouds, and others.
const pair = more => ({ x: [s.x, 1, s.x.length / s.dim, s.dim], y: [s.y, 1, s.y.length / s.dim, s.dim], ...more });
async function setTheta(theta) {
  s.theta = theta;
  redraw("scene", "map");
  if ($("distribution").value === "vmf") estimate();
  const blur = blurred();
  s.slice = await ask("slice", { blur }, pair({ theta }));
  for (const name of ["value", "mean", "smallest", "largest"]) $(name).textContent = format(s.slice[name]);
  for (const e of document.querySelectorAll(".quantity")) e.innerHTML = blur !== "+Inf" ? "<i>J</i><sub>κ</sub>" : "<i>F</i>";
  s.answers = (s.answers || 0) + 1;
  redraw("scene", "slice", "map");
}
function drawSlice() {
  const [g, w, h] = sheet("slice", w => w > 460 ? 180 : 116), c = s.slice;
  if (!c) return;
  const all = [...c.x, ...c.y], lo = Math.min(...all), hi = Math.max(...all), at = v => 14 + (w - 28) * (v - lo) / (hi - lo || 1);
  const top = 34, bottom = h - 34;
  g.globalAlpha = 0.28; g.strokeStyle = paint.muted; g.lineWidth = 1; g.beginPath();
  c.x_order.forEach((i, rank) => { g.moveTo(at(c.x[i]), top); g.lineTo(at(c.y[c.y_order[rank]]), bottom); });
  g.stroke();
  g.globalAlpha = 0.6;
  for (const [values, y, up, colour] of [[c.x, top, -1, paint.x], [c.y, bottom, 1, paint.y]]) {
    g.strokeStyle = colour; g.lineWidth = 1.2; g.beginPath();
    for (const v of values) { g.moveTo(at(v), y); g.lineTo(at(v), y + up * 14); }
    g.stroke();
  }
  g.globalAlpha = 1;
  label(g, "X", 14, 10, paint.x); label(g, "Y", 14, h - 9, paint.y);
  label(g, format(lo), 34, h - 9, paint.muted); label(g, format(hi), w - 14, h - 9, paint.muted, "right");
  label(g, `F(θ) = ${format(c.cost)}: mean of (x − y)²` + (w > 460 ? " over the matched pairs" : ""), w - 14, 10, paint.muted, "right");
}

// --- all directions --------------------------------------------------------------------------------------------

// The map of the sphere is Mollweide's: equal areas.
const place = { w: 0, h: 0 };
function mollweide([x, z, y]) { // the second coordinate points up
  const lat = Math.asin(Math.max(-1, Math.min(1, z))), lon = Math.atan2(y, x);
  let t = lat;
  for (let i = 0; i < 12; i++) {
    const d = 2 + 2 * Math.cos(2 * t);
    if (d < 1e-6) break;
    t -= (2 * t + Math.sin(2 * t) - Math.PI * Math.sin(lat)) / d;
  }
  return [lon / Math.PI * Math.cos(t), Math.sin(t)];
}
function fromMollweide(u, v) {
  if (u * u + v * v > 1) { const n = Math.hypot(u, v) * 1.0001; u /= n; v /= n; }
  const t = Math.asin(v), lat = Math.asin(Math.max(-1, Math.min(1, (2 * t + Math.sin(2 * t)) / Math.PI)));
  const lon = Math.PI * Math.max(-1, Math.min(1, u / Math.max(1e-9, Math.cos(t)))), c = Math.cos(lat);
  return [c * Math.cos(lon), Math.sin(lat), c * Math.sin(lon)];
}
// The value of the map, between its points.
function valueAt(p) {
  const m = s.map;
  const u = Math.acos(Math.max(-1, Math.min(1, p[2]))) / Math.PI * m.rows - 0.5;
  const v = (Math.atan2(p[1], p[0]) / (2 * Math.PI) + 1) % 1 * m.columns - 0.5;
  const i = Math.floor(u), j = Math.floor(v), a = u - i, b = v - j;
  const get = (i, j) => m.values[Math.max(0, Math.min(m.rows - 1, i)) * m.columns + (j + m.columns) % m.columns];
  return (1 - a) * ((1 - b) * get(i, j) + b * get(i, j + 1)) + a * ((1 - b) * get(i + 1, j) + b * get(i + 1, j + 1));
}
let picture = null; // the colours of the map: drawn when the clouds or the width change
function drawMap() {
  if (s.dim === 2) return drawCircle();
  const [g, w, h] = sheet("map", w => Math.min(w, 640) / 2 + 6), R = Math.min(w, 640) / 2 - 11, cx = w / 2, cy = h / 2;
  Object.assign(place, { R, cx, cy });
  if (!s.map || s.map.rows === 1) return;
  const at = p => { const [u, v] = mollweide(p); return [cx + R * u, cy - R / 2 * v]; };
  if (!picture || picture.map !== s.map || picture.R !== R) {
    const n = Math.round(R * Math.min(2, window.devicePixelRatio || 1)), c = Object.assign(document.createElement("canvas"), { width: 2 * n, height: n });
    const img = c.getContext("2d").createImageData(2 * n, n), [lo, top] = s.map.costs, span = top - lo || 1;
    for (let j = 0; j < n; j++) for (let i = 0; i < 2 * n; i++) {
      const u = (i + 0.5) / n - 1, v = 1 - 2 * (j + 0.5) / n;
      const inside = (1 - Math.hypot(u, v)) * n;
      if (inside < -1) continue;
      const [r, gr, b] = shade((valueAt(fromMollweide(u, v)) - lo) / span), o = 4 * (2 * n * j + i);
      img.data.set([r, gr, b, 255 * Math.max(0, Math.min(1, inside / 2 + 0.5))], o);
    }
    c.getContext("2d").putImageData(img, 0, 0);
    picture = { canvas: c, map: s.map, R };
  }
  g.drawImage(picture.canvas, cx - R, cy - R / 2, 2 * R, R);
  const sample = s.estimates.at(-1), size = sample ? Math.max(1.1, Math.min(2.4, 30 / Math.sqrt(sample.slices))) : 0;
  if (sample) for (let i = 0; i < Math.min(sample.directions.length, 3000); i += 3) {
    const [x, y] = at(sample.directions.slice(i, i + 3));
    disc(g, x, y, size + 0.7, "rgba(0,0,0,.55)"); disc(g, x, y, size, "rgba(255,255,255,.9)");
  }
  marks(g, at, (a, b) => Math.abs(a[0] - b[0]) < R / 2);
}
// What lies on the map, over its colours: the path of the ascent, predictions, the largest cost, theta.
function marks(g, at, joined) {
  if (s.path) {
    const shown = s.path.slice(0, s.climbed + 1).map(at);
    for (const [width, colour] of [[5, "#fff"], [3, "#70435c"]])
      for (let i = 1; i < shown.length; i++) if (joined(shown[i - 1], shown[i])) line(g, [shown[i - 1], shown[i]], colour, width);
    for (const q of shown) disc(g, q[0], q[1], 2.2, "#fff");
  }
  g.font = "bold 11px system-ui, 'Liberation Sans', sans-serif";
  for (const p of s.predictions) {
    const q = at(p.theta);
    disc(g, q[0], q[1], 8.5, "#fff", "#1f2328"); label(g, LETTERS[p.name], q[0], q[1] + 0.5, "#1f2328", "center");
  }
  if (s.map) { const q = at(s.map.highest); line(g, [[q[0] - 6, q[1]], [q[0] + 6, q[1]]], "#fff", 5); line(g, [[q[0], q[1] - 6], [q[0], q[1] + 6]], "#fff", 5);
    line(g, [[q[0] - 5, q[1]], [q[0] + 5, q[1]]], "#000", 2); line(g, [[q[0], q[1] - 5], [q[0], q[1] + 5]], "#000", 2); }
  const q = at(s.theta);
  disc(g, q[0], q[1], 9.5, "#fff"); disc(g, q[0], q[1], 8, paint.theta, "#70435c");
}
function drawCircle() {
  const [g, w, h] = sheet("map", w => w > 460 ? 280 : 220), m = s.map;
  Object.assign(place, { left: 54, width: w - 68 });
  if (!m || m.rows !== 1) return;
  const hi = 1.08 * (m.costs[1] || 1), x = a => place.left + place.width * a / 360, y = v => h - 26 - (h - 40) * v / hi;
  axes(g, w, h, place.left, 0, hi, y);
  for (let a = 0; a <= 360; a += 90) { line(g, [[x(a), y(0)], [x(a), y(0) + 4]], paint.muted, 1); label(g, a + "°", x(a), y(0) + 14, paint.muted, a === 360 ? "right" : "center"); }
  const curve = Array.from(m.values, (v, j) => [x(360 * j / m.columns), y(v)]);
  curve.push([x(360), y(m.values[0])]);
  for (let i = 1; i < curve.length; i++) line(g, [curve[i - 1], curve[i]], `rgb(${shade(m.values[i % m.columns] / hi)})`, 3);
  line(g, [[x(0), y(m.mean)], [x(360), y(m.mean)]], paint.muted, 1.2, [5, 4]);
  label(g, "mean", x(360), y(m.mean) - 8, paint.muted, "right", paint.card);
  const angle = p => (Math.atan2(p[1], p[0]) * 180 / Math.PI + 360) % 360;
  const at = p => { const a = angle(p), v = a / 360 * m.columns, i = Math.floor(v), b = v - i; return [x(a), y((1 - b) * m.values[i % m.columns] + b * m.values[(i + 1) % m.columns])]; };
  const sample = s.estimates.at(-1);
  if (sample) {
    g.strokeStyle = paint.ink; g.globalAlpha = 0.45; g.lineWidth = 1; g.beginPath();
    for (let i = 0; i < sample.directions.length; i += 2) { const a = x(angle([sample.directions[i], sample.directions[i + 1]])); g.moveTo(a, y(0)); g.lineTo(a, y(0) - 8); }
    g.stroke(); g.globalAlpha = 1;
  }
  marks(g, at, (a, b) => Math.abs(a[0] - b[0]) < place.width / 2);
}
function dragMap() {
  const canvas = $("map");
  let held = false;
  const move = e => {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    if (s.dim === 3) return setTheta(fromMollweide((px - place.cx) / place.R, (place.cy - py) / (place.R / 2)));
    const a = 2 * Math.PI * (px - place.left) / place.width;
    setTheta([Math.cos(a), Math.sin(a)]);
  };
  canvas.addEventListener("pointerdown", e => { held = true; canvas.setPointerCapture(e.pointerId); move(e); });
  canvas.addEventListener("pointermove", e => held && move(e));
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { held = false; });
  keys(canvas, (right, up) => {
    if (s.dim === 2) return rotate(right + up);
    const lat = Math.max(-1.55, Math.min(1.55, Math.asin(s.theta[1]) + up * 0.05)), lon = Math.atan2(s.theta[2], s.theta[0]) + right * 0.05;
    setTheta([Math.cos(lat) * Math.cos(lon), Math.sin(lat), Math.cos(lat) * Math.sin(lon)]);
  });
}
async function landscape() {
  const blur = blurred(), m = await ask("landscape", { blur }, pair()), f = blur === "+Inf" ? m : await ask("landscape", { blur: "+Inf" }, pair());
  const rows = s.dim === 2 ? 1 : 64;
  s.map = { ...m, rows, columns: m.values.length / rows, highest: m.highest_at, costs: [f.lowest, f.highest] };
  redraw("map", "growth");
  table();
}

// --- charts ----------------------------------------------------------------------------------------------------

function axes(g, w, h, left, lo, hi, y) {
  const step = Math.pow(10, Math.floor(Math.log10((hi - lo) / 3 || 1)));
  const tick = [1, 2, 5, 10].map(k => k * step).find(k => (hi - lo) / k <= 5);
  for (let v = Math.ceil(lo / tick) * tick; v <= hi + 1e-12; v += tick) {
    line(g, [[left, y(v)], [w - 14, y(v)]], paint.grid, 1);
    label(g, v && hi < 1e-3 ? (+v.toPrecision(3)).toExponential() : String(+v.toPrecision(4)), left - 6, y(v), paint.muted, "right");
  }
}
// The sliced distance by that many directions of a distribution, with its 95 % interval.
async function distance(slicing, slices) {
  const settings = { loss: "sw", reduce: "mean", path: "host" };
  let directions;
  if (slicing === "vmf") {
    const drawn = await ask("vmf_samples", { location: s.theta.join(), kappa: kappa("kappa"), n: slices }, {}, s.seed);
    directions = [drawn.samples, slices, s.dim];
  } else Object.assign(settings, { slicing, slices }, FOCUSED.includes(slicing) ? { kappa: kappa("kappa") } : {});
  const d = await ask("distance", settings, pair(directions && { directions }), s.seed);
  const [low, high] = [...d.interval].map(v => Number.isFinite(v) ? v : null);
  return { ...d, low, high, slices: +d.text.slices };
}
async function estimate() {
  const run = s.run = (s.run || 0) + 1, done = [], distribution = $("distribution").value;
  const target = { vmf: "It converges to the mean around θ (v-DSW), not to SW₂².", "random-path": "It does not converge to SW₂²: directions between points of the clouds weigh more." }[distribution];
  for (const slices of COUNTS.slice(0, +$("slices").value + 1)) {
    const e = await distance(distribution, slices);
    if (run !== s.run) return;
    done.push(e);
    s.estimates = done.slice();
    redraw("growth", "map");
  }
  const e = done.at(-1);
  $("estimate-text").textContent = equal() ? EQUAL : `L = ${e.slices}: ${format(e.value)}, `
    + (e.low === null ? "too few independent directions for an interval. " : `95 % interval over directions ${format(e.low)} to ${format(e.high)}. `) + (target || "The dashed line is the mean over all directions.");
}
function drawGrowth() {
  const [g, w, h] = sheet("growth", () => 220), some = s.estimates, left = 58;
  if (!some.length) return;
  const judged = some.filter(e => e.slices >= 10 || some.length < 3), values = judged.flatMap(e => [e.low ?? e.value, e.high ?? e.value]);
  if (s.map) values.push(s.map.mean);
  let lo = Math.min(...values), hi = Math.max(...values);
  const pad = 0.06 * (hi - lo || hi || 1);
  lo = Math.max(0, lo - pad); hi += pad;
  const x = L => left + 10 + (w - left - 40) * Math.log(L / COUNTS[0]) / Math.log(COUNTS.at(-1) / COUNTS[0]), y = v => h - 28 - (h - 40) * (v - lo) / (hi - lo);
  axes(g, w, h, left, lo, hi, y);
  for (const L of COUNTS) if (w > 460 || ![8, 32, 128, 512, 1024].includes(L)) label(g, String(L), x(L), h - 12, paint.muted, "center");
  g.save(); g.beginPath(); g.rect(left, 4, w, h - 30); g.clip();
  const sure = some.filter(e => e.low !== null);
  g.beginPath(); sure.forEach((e, i) => i ? g.lineTo(x(e.slices), y(e.low)) : g.moveTo(x(e.slices), y(e.low)));
  sure.slice().reverse().forEach(e => g.lineTo(x(e.slices), y(e.high)));
  g.globalAlpha = 0.2; g.fillStyle = paint.x; g.fill(); g.globalAlpha = 1;
  if (s.map) line(g, [[left, y(s.map.mean)], [w - 14, y(s.map.mean)]], paint.ink, 1.3, [5, 4]);
  for (const e of sure) line(g, [[x(e.slices), y(e.low)], [x(e.slices), y(e.high)]], paint.x, 1.6);
  line(g, some.map(e => [x(e.slices), y(e.value)]), paint.x, 2);
  for (const e of some) disc(g, x(e.slices), y(e.value), 4, paint.x, paint.card);
  g.restore();
}
// A curve over steps.
function drawSteps(id, curves, lines, now) {
  const [g, w, h] = sheet(id, () => 190), left = 58;
  const all = [...curves.flatMap(c => c.values), ...lines.map(l => l.value)].filter(v => v !== undefined);
  const last = Math.max(1, ...curves.map(c => c.last));
  if (!all.length) { label(g, "nothing yet", w / 2, h / 2, paint.muted, "center"); return; }
  const hi = 1.08 * (Math.max(...all) || 1), x = k => left + 6 + (w - left - 24) * k / last, y = v => h - 28 - (h - 40) * v / hi;
  axes(g, w, h, left, 0, hi, y);
  for (let k = 0; k <= 4; k++) label(g, String(Math.round(last * k / 4)), x(last * k / 4), h - 12, paint.muted, k === 4 ? "right" : "center");
  for (const l of lines) if (l.value !== undefined) {
    line(g, [[left, y(l.value)], [w - 14, y(l.value)]], paint.ink, 1.2, [5, 4]); label(g, l.text, w - 16, y(l.value) + (l.value > 0.2 * hi ? 10 : -9), paint.muted, "right", paint.card);
  }
  if (now && now < last) line(g, [[x(now), y(0)], [x(now), y(hi)]], paint.muted, 1.2);
  let from = left + 12;
  curves.forEach(c => {
    const points = c.values.map((v, k) => [x(c.values.length < 2 ? 0 : c.upTo * k / (c.values.length - 1)), y(v)]);
    line(g, points, c.colour, 2.2);
    if (points.length) disc(g, ...points.at(-1), 4, c.colour, paint.card);
    if (c.text) { label(g, c.text, from, 12, c.colour, "left", paint.card); from += g.measureText(c.text).width + 22; }
  });
}

// --- ascent, amortizers, flow ----------------------------------------------------------------------------------

const CLIMB = "40 steps of Adam on θ. The white dots on the map are the steps.";
async function climb() {
  const [rate, tangent] = $("rate").value.split(" "), steps = 40, before = s.theta, since = forgotten;
  const loss = $("objective").value, at = kappa("climb-kappa"), blurs = loss === "v-dsw" ? { slices: 30, kappa: at } : {};
  $("climb").disabled = true;
  try {
    const p = await ask("ascent", { loss, ascent_steps: steps, ascent_rate: rate, ascent_tangent: !!tangent, ...blurs }, pair({ theta: before }), s.seed);
    if (s.playing) return;
    s.path = [];
    for (let i = 0; i < p.locations.length; i += s.dim) s.path.push([...p.locations.slice(i, i + s.dim)]);
    s.climb = { ...p, values: [...p.values], name: blurs.kappa ? "J_κ" : "F", kappa: blurs.kappa ? `, κ = ${at}` : "" };
    const angle = Math.acos(Math.min(1, Math.abs(dot(before, s.path.at(-1))))) * 180 / Math.PI;
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (s.climbed = quiet ? steps : 0; s.climbed <= steps; s.climbed++) {
      redraw("map", "climbing");
      await new Promise(done => setTimeout(done, 45));
      if (!s.path || since !== forgotten) return;
    }
    s.climbed = steps;
    const end = p.values.at(-1), part = end / p.largest;
    $("ascent-text").textContent = equal() ? EQUAL : `${s.climb.name}(θ)${s.climb.kappa}: from ${format(p.values[0])} to ${format(end)}; θ turned by ${angle.toFixed(1)}°. `
      + (part < 0.99 ? `The end is ${(100 * part).toFixed(0)} % of the largest on the map, ${format(p.largest)}: an ascent climbs the hill that it starts on, up to a local maximum if its steps get that far.` : "");
    setTheta(s.path.at(-1));
  } finally { if (since === forgotten) $("climb").disabled = s.playing; }
}
function drawClimbing() {
  const c = s.path && s.climb;
  drawSteps("climbing", c ? [{ values: c.values.slice(0, s.climbed + 1), last: 40, upTo: s.climbed, colour: paint["theta-text"], text: `${c.name}(θ)${c.kappa}` }] : [],
    c ? [{ value: c.largest, text: `largest ${c.name} on the map` }] : []);
}
async function predict() {
  s.predictions = [];
  const run = s.predicting = (s.predicting || 0) + 1;
  for (const name of Object.keys(NAMES)) {
    const trained = s.x.length === 500 * s.dim;
    const { theta } = await ask("direction", { amortizer: name, dk: 16, k: 16, ...trained && { weights: `weights/${name}-${s.dim}d.safetensors` } }, pair(), 1);
    if (run !== s.predicting) return;
    const { value } = await ask("distance", { loss: "sw", reduce: "mean", path: "host" }, pair({ directions: [theta, 1, s.dim] }), 0, "direction cost");
    if (run !== s.predicting) return;
    s.predictions.push({ name, theta: [...theta], cost: value, trained });
    table();
    redraw("map");
  }
}
function table() {
  const body = $("predictions");
  body.replaceChildren(...s.predictions.map(p => {
    const row = document.createElement("tr"), part = equal() ? 0 : p.cost / s.map.costs[1];
    const cells = [0, 1, 2, 3].map(() => row.appendChild(document.createElement("td")));
    const button = cells[0].appendChild(document.createElement("button"));
    button.type = "button"; button.textContent = NAMES[p.name]; button.title = "Look along this direction";
    button.onclick = () => setTheta(p.theta);
    cells[1].textContent = format(p.cost);
    cells[2].textContent = equal() ? "equal clouds" : (100 * part).toFixed(0) + " %";
    const bar = cells[3].appendChild(document.createElement("div"));
    bar.className = "bar"; bar.style.width = Math.min(100, 100 * part) + "%";
    return row;
  }));
  const trained = s.predictions.length && s.predictions.every(p => p.trained);
  $("amortizers-text").textContent = !s.predictions.length ? s.playing ? "They are asked when the flow stops." : "…" : trained
    ? "Small maps (d_k = k = 16), trained for this page by 1500 steps of 16 pairs of built-in shapes to point where the cost is largest; no pair of the page was among them. A, EA, G, LA and N have learnt about one direction for all pairs; L and LA on sorted points follow the pair."
    : "Not trained: weights are for 500 points, so these are initial ones.";
}
const CHUNK = 4; // steps between two frames of the flow; the page draws straight lines between them
async function play() {
  if (s.playing) return stop();
  const had = s.steps / CHUNK + 1; // states; those after where the reader has scrubbed to go
  s.sw.length = Math.min(s.sw.length, had); s.emd.length = Math.min(s.emd.length, had); s.frames.length = Math.min(s.frames.length, had);
  if (s.steps >= 400) return restart();
  s.playing = true; s.path = null; s.predictions = [];
  s.predicting = (s.predicting || 0) + 1;
  $("ascent-text").textContent = CLIMB;
  $("climb").disabled = true;
  table(); redraw();
  $("play").textContent = "❚❚ Pause";
  const since = forgotten;
  while (s.playing) {
    const from = s.shownY || s.y;
    const slicing = $("flow-distribution").value, around = slicing === "vmf", fixed = slicing === "fixed";
    if (!s.frames.length) s.frames = [s.y];
    const slices = 50, seed = 1000 + s.steps, mean = async () => Math.sqrt((await ask("landscape", { blur: "+Inf" }, pair(), 0, "descend mean")).mean);
    const drawn = around ? await ask("vmf_samples", { location: s.theta.join(), kappa: kappa("flow-kappa"), n: CHUNK * slices }, {}, seed, "descend along") : null;
    const directions = around ? [drawn.samples, CHUNK, slices, s.dim] : [s.theta, 1, s.dim], given = around || fixed;
    const settings = given ? {} : { slicing, slices, fresh: true, ...FOCUSED.includes(slicing) ? { kappa: kappa("flow-kappa") } : {} };
    const f = await ask("descend", { steps: CHUNK, every: CHUNK, learning_rate: speed() / s.dim, ...settings }, pair(given ? { directions } : {}), seed);
    const sw = s.steps ? [] : [await mean()];
    s.y = f.frames0.slice(s.y.length); s.shownY = from;
    if (!s.steps) { s.sw = sw; s.emd = [f.w2[0]]; }
    s.sw.push(await mean()); s.emd.push(f.w2[1]); s.frames.push(s.y); s.steps += CHUNK; s.estimates = [];
    scrubber();
    told();
    redraw("falling");
    setTheta(s.theta); landscape(); estimate();
    const to = s.y, begin = performance.now();
    let t = 0;
    while (t < 1 || s.playing && s.estimates.length <= $("slices").value) { // the numbers are of this state
      await new Promise(requestAnimationFrame);
      if (since !== forgotten || s.y !== to) return stop();
      t = Math.min(1, (performance.now() - begin) / 130);
      s.shownY = from.map((v, i) => v + t * (to[i] - v));
      drawScene();
    }
    s.shownY = null;
    if (s.steps >= 400) stop();
  }
  if (s.steps) predict();
}
function told() {
  const slicing = $("flow-distribution").value, at = s.steps / CHUNK;
  $("flow-text").textContent = `Step ${s.steps}: SW₂ ${format(s.sw[at])}, the root of the mean over all directions; W₂ ${format(s.emd[at])}, exact.`
    + (slicing === "vmf" ? " What no direction around θ sees does not move." : slicing === "fixed" ? " Points move along θ only: across it nothing changes, and the flow sticks." : "");
}
function scrubber() {
  const slider = $("scrub");
  slider.disabled = s.frames.length < 2; slider.max = Math.max(0, s.frames.length - 1);
  slider.value = s.steps / CHUNK; $("scrub-out").textContent = s.steps;
}
// scrub goes back or forth to a state that the flow has had; Play goes on from there.
function scrub() {
  stop();
  const at = +$("scrub").value;
  s.steps = at * CHUNK; s.y = s.frames[at]; s.shownY = null; s.path = null;
  $("scrub-out").textContent = s.steps;
  told(); redraw("falling", "climbing");
  setTheta(s.theta); landscape(); estimate();
}
function stop() {
  s.playing = false;
  $("climb").disabled = false;
  $("play").textContent = "▶ Play";
}
const speed = () => $("speed").value / 5;
function restart() {
  change();
  take(s.x, s.start);
}
function drawFalling() {
  drawSteps("falling", [
    { values: s.sw, last: CHUNK * (s.sw.length - 1), upTo: CHUNK * (s.sw.length - 1), colour: paint.x, text: "SW₂, all directions" },
    { values: s.emd, last: CHUNK * (s.sw.length - 1), upTo: CHUNK * (s.sw.length - 1), colour: paint.y, text: "W₂, exact" }], [], s.steps);
}

// --- choosing clouds -------------------------------------------------------------------------------------------

// take shows the clouds, of one size and dimension.
function take(x, y) {
  changing = false;
  s.x = x; s.y = s.start = y;
  s.path = null; s.slice = null; s.sw = []; s.emd = []; s.frames = []; s.steps = 0; scrubber(); s.shownY = null; s.predictions = []; s.estimates = [];
  stop();
  $("flow-text").textContent = "Every step draws 50 new directions and follows the exact gradient of the mean of their costs.";
  $("ascent-text").textContent = CLIMB;
  document.querySelectorAll("[data-dim]").forEach(b => b.setAttribute("aria-pressed", +b.dataset.dim === s.dim));
  $("map-legend").innerHTML = "<span>● θ</span> <span>+ largest on the map</span> <span>letters: amortizers</span> " + (s.dim === 3 ? "<span>white dots: sampled directions</span> <span>from dark (small) to yellow (large)</span>" : "<span>ticks: sampled directions</span> <span>dashed: mean</span>");
  redraw();
  setTheta(s.theta); landscape(); estimate(); predict();
}
let shapes;
// dimension changes to clouds in 2 or 3 dimensions, and the direction with them.
function dimension(dim) {
  if (dim === s.dim) return;
  s.dim = dim;
  s.theta = dim === 2 ? [Math.cos(0.6), Math.sin(0.6)] : [0.6, 0, 0.8];
}
// named says what a cloud is made of, the part of the question that differs, and shows it in the list.
function named(which, made) {
  s.made[which] = made;
  const list = $("shape-" + which);
  list.replaceChildren(...shapes[s.dim].map(name => new Option(name, name)));
  if (!made.shape) list.prepend(new Option(made.strokes ? "your drawing" : made.path.slice(2), ""));
  list.value = made.shape || "";
}
// loaded asks for the cloud that is made so: { values, dim }.
async function loaded(which, made) {
  const key = ` ${which}`, seed = s.seeds[which];
  const a = made.path ? await ask("cloud", { name: made.path, points: 500, all: true }, {}, seed, "cloud" + key)
    : await ask("shape", { dim: s.dim, ...made.strokes ? { strokes: JSON.stringify(made.strokes) } : { name: made.shape } }, {}, seed, "shape" + key);
  const [, points, dim] = a.shape.points;
  if (dim !== 2 && dim !== 3) { changing = false; say(`${made.path.slice(2)}: expected points in 2 or 3 dimensions, found ${dim}`, true); throw new Error("dimension"); }
  return { values: a.points.slice(0, points * dim), points, dim };
}
async function matched(x, y) {
  if (x.points === y.points) return take(x.values, y.values);
  const m = await ask("match", {}, { x: [x.values, 1, x.points, s.dim], y: [y.values, 1, y.points, s.dim] });
  take(m.x, m.y);
}
async function make(dim, x, y) {
  dimension(dim);
  named("x", x); named("y", y);
  change();
  await matched(...await Promise.all([loaded("x", x), loaded("y", y)]));
}
const choose = (dim, x, y) => make(dim, { shape: x }, { shape: y });
const FIRST = { 2: ["ring", "moons"], 3: ["chair", "teapot"] };
async function replace(which, made) {
  change();
  const other = which === "x" ? "y" : "x", a = await loaded(which, made);
  if (a.dim !== s.dim) { // of the other cloud a built-in one takes the place
    dimension(a.dim);
    named(other, { shape: FIRST[a.dim][other === "x" ? 0 : 1] });
  }
  named(which, made);
  const b = await loaded(other, s.made[other]);
  await (which === "x" ? matched(a, b) : matched(b, a));
}
async function file(which, f) {
  if (!f) return;
  const path = `${which}/${f.name}`;
  worker.postMessage({ path, bytes: new Uint8Array(await f.arrayBuffer()) });
  await replace(which, { path }).catch(() => {}); // the page says why
}
function pencil(which) {
  const was = s.drawing;
  if (was && s.strokes.length) replace(was, { strokes: s.strokes });
  s.strokes = [];
  s.drawing = was === which ? null : which;
  for (const w of ["x", "y"]) {
    $("draw-" + w).setAttribute("aria-pressed", s.drawing === w);
    $("draw-" + w).textContent = s.drawing === w ? "Done" : "Draw " + w.toUpperCase();
  }
  redraw("scene");
}
const DRAW = { scene: drawScene, slice: drawSlice, map: drawMap, growth: drawGrowth, climbing: drawClimbing, falling: drawFalling };
function controls() {
  document.querySelectorAll("[data-dim]").forEach(b => b.onclick = () => choose(+b.dataset.dim, ...FIRST[b.dataset.dim]));
  for (const which of ["x", "y"]) {
    $("shape-" + which).onchange = e => replace(which, { shape: e.target.value });
    $("file-" + which).onchange = e => file(which, e.target.files[0]);
    $("draw-" + which).onclick = () => pencil(which);
  }
  $("redraw").onclick = () => { s.seeds.x += 2; s.seeds.y += 2; make(s.dim, s.made.x, s.made.y); };
  $("flow-distribution").innerHTML = $("distribution").innerHTML + '<option value="fixed">θ alone, always</option>';
  $("scrub").oninput = scrub;
  for (const b of document.querySelectorAll("[data-try]")) b.onclick = () => attempt(b.dataset.try);
  $("reset").onclick = () => restore(DEFAULT);
  $("save-picture").onclick = savePicture; $("save-film").onclick = saveFilm;
  $("save-film").hidden = !window.MediaRecorder || !$("scene").captureStream;
  window.addEventListener("hashchange", () => { if (location.hash !== written) restore(read()); });
  for (const name of ["change", "pointerup", "keyup", "click"]) document.addEventListener(name, () => setTimeout(write), true);
  const show = () => {
    $("slices-out").textContent = COUNTS[$("slices").value]; $("speed-out").textContent = speed();
    const needs = id => ["vmf", ...FOCUSED].includes($(id).value);
    const shown = { "blur-kappa": $("blur").checked, kappa: needs("distribution"), "climb-kappa": $("objective").value === "v-dsw", "flow-kappa": needs("flow-distribution") };
    for (const id in shown) { $(id + "-out").textContent = kappa(id); $(id + "-row").style.display = shown[id] ? "" : "none"; }
  };
  for (const id of ["blur", "blur-kappa"]) $(id).oninput = () => { show(); setTheta(s.theta); landscape(); };
  for (const id of ["kappa", "slices", "distribution"]) $(id).oninput = () => { show(); estimate(); };
  for (const id of ["speed", "objective", "climb-kappa", "flow-kappa", "flow-distribution"]) $(id).oninput = show;
  $("seed").onclick = () => { s.seed++; estimate(); };
  $("climb").onclick = climb; $("play").onclick = play; $("restart").onclick = restart;
  $("theme").onclick = () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", document.documentElement.dataset.theme); } catch { /* a page without storage */ }
    colours(); redraw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours(); redraw(); });
  document.addEventListener("dragover", e => { e.preventDefault(); document.body.classList.add("over"); });
  document.addEventListener("dragleave", () => document.body.classList.remove("over"));
  document.addEventListener("drop", e => { e.preventDefault(); document.body.classList.remove("over"); file("y", e.dataTransfer.files[0]); });
  new ResizeObserver(() => redraw()).observe(document.body);
  dragScene(); dragMap(); show();
  shown = show;
}
let shown = () => {};

// --- the state in the address ----------------------------------------------------------------------------------

const CONTROLS = ["distribution", "kappa", "slices", "objective", "climb-kappa", "rate", "flow-distribution", "flow-kappa", "speed", "blur", "blur-kappa"];
const setControl = (id, value) => { if ($(id).type === "checkbox") $(id).checked = value === "1"; else $(id).value = value; };
const control = id => $(id).type === "checkbox" ? String(+$(id).checked) : $(id).value;
let DEFAULT; // the state of a page that has just begun
// now is the state as texts. A file is not in it: its place takes the shape that the page begins with.
function now() {
  const out = { dim: s.dim, theta: s.theta.map(v => +v.toFixed(4)).join(), seed: s.seed };
  for (const which of ["x", "y"]) {
    const made = s.made[which];
    out[which] = made.strokes ? "~" + made.strokes.map(line => line.map(p => p.map(v => +v.toFixed(2)).join()).join(";")).join("|") : made.shape || FIRST[s.dim][+(which === "y")];
    out["seed-" + which] = s.seeds[which];
  }
  for (const id of CONTROLS) out[id] = control(id);
  return Object.fromEntries(Object.entries(out).map(([k, v]) => [k, String(v)]));
}
let written = location.hash;
// write puts what differs from the beginning into the address.
function write() {
  if (!DEFAULT || changing || s.drawing || !s.made.x) return;
  const parts = Object.entries(now()).filter(([k, v]) => v !== DEFAULT[k]).map(([k, v]) => k + "=" + encodeURIComponent(v));
  const hash = parts.length ? "#" + parts.join("&") : "";
  if (hash === written) return;
  written = hash;
  try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { location.hash = hash; }
}
const read = () => ({ ...DEFAULT, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) });
async function restore(state) {
  for (const id of CONTROLS) if (state[id] !== undefined) setControl(id, state[id]);
  shown();
  const dim = +state.dim === 3 ? 3 : 2;
  const made = text => text.startsWith("~") ? { strokes: text.slice(1).split("|").map(line => line.split(";").map(p => p.split(",").map(Number))) } : { shape: text };
  s.seeds = { x: +state["seed-x"] || 1, y: +state["seed-y"] || 2 }; s.seed = +state.seed || 1;
  const theta = state.theta.split(",").map(Number);
  dimension(dim);
  if (theta.length === dim && theta.every(Number.isFinite) && Math.hypot(...theta) > 0) s.theta = unit(theta);
  const known = text => text.startsWith("~") || shapes[dim].includes(text);
  await make(dim, made(known(state.x) ? state.x : FIRST[dim][0]), made(known(state.y) ? state.y : FIRST[dim][1]));
  write();
}

// --- states to try, and what the reader takes away -------------------------------------------------------------

const TRIES = {
  blind: [{ x: "bar", y: "cross" }, "One slice can be blind: along θ the projections of both clouds are nearly alike, though the clouds are not. Turn θ."],
  sixteen: [{ slices: "2" }, "Sixteen directions: look at the interval below. Slide L to the right, and see how it shrinks."],
  local: [{ x: "bar", y: "blobs" }, "The ascent of Max-SW climbs the hill that it starts on. From here that hill is not the highest."],
  samples: [{ x: "moons", y: "moons" }, "Two samples of one shape: the distance is not 0. So large is what chance alone makes."],
  sticks: [{ "flow-distribution": "fixed", speed: "5" }, "Every step looks along θ alone: Y gets the projection of X there, and nothing else."],
  initials: [{}, "Draw your initials as Y, press Done, then let them flow into X."],
};
async function attempt(name) {
  const [state, text] = TRIES[name];
  stop();
  await restore({ ...DEFAULT, ...state });
  $("try-text").textContent = text;
  if (name === "blind" || name === "local") {
    await landscape();
    setTheta(direction(name === "blind" ? lowest() : slope()));
  }
  if (name === "local") await climb();
  if (name === "sticks") play();
  if (name === "initials") pencil("y");
  write();
}
// The directions of the map in the plane by their number.
const direction = j => [Math.cos(2 * Math.PI * j / s.map.columns), Math.sin(2 * Math.PI * j / s.map.columns)];
const lowest = () => s.map.values.indexOf(Math.min(...s.map.values));
// slope is beside the lowest of the local maxima.
function slope() {
  const v = s.map.values, n = v.length, tops = [];
  for (let j = 0; j < n; j++) if (v[j] > v[(j + 1) % n] && v[j] >= v[(j + n - 1) % n]) tops.push(j);
  return tops.sort((a, b) => v[a] - v[b])[0] + 8;
}
function give(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
  window.playground.saved = { name, bytes: blob.size, type: blob.type };
}
// The clouds and their slice, one below the other, as a picture.
function savePicture() {
  const parts = ["scene", "slice"].map($), width = Math.max(...parts.map(c => c.width));
  const c = Object.assign(document.createElement("canvas"), { width, height: parts.reduce((sum, p) => sum + p.height, 0) }), g = c.getContext("2d");
  g.fillStyle = paint.card; g.fillRect(0, 0, c.width, c.height);
  let y = 0;
  for (const p of parts) { g.drawImage(p, (width - p.width) / 2, y); y += p.height; }
  c.toBlob(blob => give(blob, "slice.png"), "image/png");
}
// The flow from its start, or what it has been, as a film of some seconds.
async function saveFilm() {
  if (s.frames.length < 2) { $("flow-text").textContent = "Play the flow first: the film shows the states that it has had."; return; }
  stop();
  const source = $("scene"), c = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height }), g = c.getContext("2d");
  const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find(t => MediaRecorder.isTypeSupported(t));
  const recorder = new MediaRecorder(c.captureStream(30), { mimeType: type }), pieces = [];
  recorder.ondataavailable = e => pieces.push(e.data);
  const ended = new Promise(done => { recorder.onstop = done; });
  $("save-film").disabled = true;
  recorder.start();
  for (const y of s.frames) {
    s.shownY = y;
    drawScene();
    g.fillStyle = paint.card; g.fillRect(0, 0, c.width, c.height); g.drawImage(source, 0, 0);
    await new Promise(done => setTimeout(done, Math.min(130, 4000 / s.frames.length)));
  }
  recorder.stop();
  await ended;
  s.shownY = null; redraw("scene");
  $("save-film").disabled = false;
  give(new Blob(pieces, { type }), type.startsWith("video/mp4") ? "flow.mp4" : "flow.webm");
}
try { if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme"); } catch { /* the same */ }
colours();
const ready = (async () => {
  const begin = performance.now();
  await start();
  controls();
  named("x", { shape: FIRST[2][0] }); named("y", { shape: FIRST[2][1] });
  DEFAULT = now();
  await restore(read());
  say("");
  return performance.now() - begin;
})().catch(e => { say("The Go program did not start: " + e.message, true); throw e; });
// For the console, and for the tests: quiet() waits until nothing is asked and nothing moves.
window.playground = {
  ready, ask, pair, choose, setTheta, forget, attempt, restore, now, state: s,
  async quiet() {
    let calm = 0;
    while (calm < 3) {
      await new Promise(done => setTimeout(done, 60));
      calm = asked || waiting.size || s.playing || $("climb").disabled ? 0 : calm + 1;
    }
  },
};
