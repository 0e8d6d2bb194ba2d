"""Opens the playground from its file in headless Chromium without a network: check_playground.py PAGE SWLAB. Its numbers must be those of the
command line SWLAB, to a relative 1e-6; it must be small, answer mouse and keys, and fit a phone. Its start and its frames a second while the
direction turns are measured and printed, with the load of the machine; they fail nothing."""

import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from browser import Browser, wait

MEGABYTES, RELATIVE = 6, 1e-6
QUIET = "playground.quiet()"
PAIRS = {2: ("ring", "moons"), 3: ("chair", "teapot")}
THETA = {2: [0.6, 0.8], 3: [0.6, 0.0, 0.8]}
# Frames within two seconds while the direction turns, each after the answer to the one before.
DRAG = """(async () => {
  const begin = performance.now();
  let frames = 0;
  while (performance.now() - begin < 2000) {
    const a = 0.05 * ++frames;
    await playground.setTheta([0.6 * Math.cos(a), 0.6 * Math.sin(a), 0.8]);
    await new Promise(requestAnimationFrame);
  }
  return frames;
})()"""


def cpu(process):
    """Seconds of processor time of a process and of those that it has started and that still run; 0 where there is no /proc."""
    times, children = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        number = int(path.parent.name)
        times[number] = int(fields[11]) + int(fields[12])
        children.setdefault(int(fields[1]), []).append(number)
    total, todo = 0, [process.pid]
    while todo:
        number = todo.pop()
        total += times.get(number, 0)
        todo += children.get(number, [])
    return total / os.sysconf("SC_CLK_TCK")


class Check:
    """Numbers of the page beside numbers of the command line."""

    def __init__(self, browser, program, folder):
        self.browser, self.program, self.folder = browser, program, folder
        self.compared, self.wrong = 0, []

    def ask(self, function, settings=None, seed=0, **arrays):
        """The answer of a call about the clouds of the page."""
        return self.browser.evaluate(f"""playground.ask({json.dumps(function)}, {json.dumps(settings or {})}, playground.pair({json.dumps(arrays)}), {seed}, 'check')
          .then(a => Object.fromEntries(Object.entries(a).map(([k, v]) => [k, ArrayBuffer.isView(v) ? [...v] : v])))""")

    def run(self, *args):
        """The JSON object of a call of the command line."""
        environment = {**os.environ, "SWLAB_BACKEND": "go"}
        out = subprocess.run([self.program, *map(str, args), "--format", "json"], capture_output=True, text=True, env=environment)
        if out.returncode:
            raise SystemExit(f"FAILED: swlab {' '.join(map(str, args))}: {out.stderr}")
        return json.loads(out.stdout)

    def same(self, what, found, expected):
        self.compared += 1
        if found is None or not abs(found - expected) <= RELATIVE * abs(expected):
            self.wrong.append(f"{what}: expected {expected!r} as on the command line, found {found!r}")

    def around(self, what, found, *args):
        """A number without a Monte-Carlo error beside an estimate of the command line with one."""
        self.compared += 1
        many = self.run(*args)
        if abs(found - many["value"]) > 4 * many["stderr"]:
            self.wrong.append(f"{what}: {found}, and {many['value']} +- {many['stderr']} on the command line")

    def close(self, what, found, expected):
        """Numbers of the size of 1, such as coordinates."""
        self.compared += len(expected)
        if len(found) != len(expected) or max(abs(a - b) for a, b in zip(found, expected)) > RELATIVE:
            self.wrong.append(f"{what}: not the {len(expected)} numbers of the command line")

    def numbers(self, dim):
        x, y, out = (self.folder / f"{name}{dim}.npy" for name in ("x", "y", "out"))
        self.browser.evaluate(f"playground.choose({dim}, {', '.join(map(repr, PAIRS[dim]))})")
        self.browser.evaluate(QUIET)
        for which, path in zip("xy", (x, y)):
            write(path, self.browser.evaluate(f"[...playground.state.{which}]"), dim)
        clouds = ["--x", x, "--y", y]
        distance = ["distance", *clouds, "--reduce", "mean", "--path", "host"]
        page = {"loss": "sw", "reduce": "mean", "path": "host"}
        theta = self.folder / f"theta{dim}.npy"
        write(theta, THETA[dim], dim)
        self.same("F(theta)", self.ask("slice", theta=THETA[dim])["cost"], self.run(*distance, "--loss", "sw", "--directions", theta)["value"])
        for name in ("uniform", "orthogonal", "qmc", "markov", "random-path"):
            focus = name in ("markov", "random-path")
            answer = self.ask("distance", page | {"slicing": name, "slices": 64} | ({"kappa": 10} if focus else {}), 5)
            expected = self.run(*distance, "--loss", "sw", "--slicing", name, "--slices", 64, "--seed", 5, *(["--kappa", 10] if focus else []))
            self.same(f"{name}, {dim}-D", answer["value"], expected["value"])
            self.same(f"{name}, {dim}-D: standard error", answer["stderr"], expected["stderr"])
        at = ",".join(map(str, THETA[dim]))
        self.run("vmf", "sample", "--kappa", 10, "--location", at, "--n", 64, "--seed", 5, "--out", out, "--force")
        drawn = self.browser.evaluate(f"playground.ask('vmf_samples', {{location: '{at}', kappa: 10, n: 64}}, {{}}, 5, 'check').then(a => [...a.samples])")
        self.close(f"vmf, {dim}-D", drawn, read(out))
        answer = self.ask("distance", page, directions=[drawn, 64, dim])
        self.same(f"vmf, {dim}-D", answer["value"], self.run(*distance, "--loss", "sw", "--directions", out)["value"])
        self.around(f"mean over all directions, {dim}-D", self.ask("landscape")["mean"], *distance, "--loss", "sw", "--slices", 6400)
        self.run("vmf", "sample", "--kappa", 10, "--location", at, "--n", 6400, "--out", out, "--force")
        self.around(f"J(theta), {dim}-D", self.ask("slice", {"blur": 10}, theta=THETA[dim])["value"], *distance, "--loss", "sw", "--directions", out)
        path = self.ask("ascent", {"loss": "max-sw", "ascent_steps": 10, "ascent_rate": 0.05, "ascent_tangent": True}, theta=THETA[dim])
        write(theta, path["locations"][-dim:], dim)
        self.same(f"end of the ascent, {dim}-D", path["values"][-1], self.run(*distance, "--loss", "sw", "--directions", theta)["value"])
        for name in ("a", "ea", "g", "l", "la", "la-sorted", "n"):
            answer = self.ask("direction", {"amortizer": name, "weights": f"weights/{name}-{dim}d.safetensors"})
            self.run("direction", "--amortizer", name, *clouds, "--weights", f"playground/weights/{name}-{dim}d.safetensors", "--out", out, "--force")
            self.close(f"{name}, {dim}-D", answer["theta"], read(out))
        flow = self.ask("descend", {"slicing": "uniform", "slices": 20, "steps": 3, "every": 3, "learning_rate": 1 / dim, "fresh": True}, 1)
        last = flow["frames0"][len(flow["frames0"]) // 2 :]
        write(y, last, dim)
        squared = self.run("distance", *clouds, "--loss", "emd-exact", "--p", 2, "--reduce", "mean")["value"]
        self.same(f"W_2 after the flow, {dim}-D", flow["w2"][1], math.sqrt(squared))
        self.around(f"SW_2^2 after the flow, {dim}-D", self.ask("landscape", y=[last, 1, len(last) // dim, dim])["mean"], *distance, "--loss", "sw", "--slices", 6400)

    def files(self):
        """A mesh and an array that the reader opens have the points of the command line."""
        mesh, out = self.folder / "mesh.off", self.folder / "sampled.npy"
        mesh.write_text("OFF\n5 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 1\n3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n3 0 2 1\n3 0 3 2\n")
        self.run("data", "sample", mesh, "--out", out, "--points", 500, "--seed", 1, "--force")
        for which, path in (("x", mesh), ("y", out), ("x", out)):
            node = self.browser.call("DOM.getDocument")["root"]["nodeId"]
            node = self.browser.call("DOM.querySelector", nodeId=node, selector=f"#file-{which}")["nodeId"]
            self.browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
            time.sleep(0.5)
            self.browser.evaluate(QUIET)
            self.close(f"{path.name} as {which}", self.browser.evaluate(f"Array.from(playground.state.{which})"), read(out))
            if chosen(self.browser, which) != path.name:
                self.wrong.append(f"{path.name} as {which}: the list says {chosen(self.browser, which)}")
        # Both are one array now.
        self.browser.evaluate("document.getElementById('climb').click()")
        self.browser.evaluate(QUIET)
        for name in ("predictions", "estimate-text", "ascent-text"):
            if "equal clouds" not in text(self.browser, name).lower() or "NaN" in self.browser.evaluate("document.body.innerText"):
                self.wrong.append(f"equal clouds: {name} says {text(self.browser, name)}")


def write(path, values, dim):
    """The rows of values as a .npy file of float32."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values) // dim}, {dim}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def read(path):
    """The numbers of a .npy file of float32."""
    raw = path.read_bytes()
    start = 10 + struct.unpack("<H", raw[8:10])[0]
    return list(struct.unpack(f"<{(len(raw) - start) // 4}f", raw[start:]))


def text(browser, name):
    return browser.evaluate(f"document.getElementById('{name}').textContent")


def chosen(browser, which):
    """The name that the list of shapes shows."""
    return browser.evaluate(f"document.getElementById('shape-{which}').selectedOptions[0].textContent")


def choose(browser, name, value):
    """Chooses an entry of a list, or a place of a slider."""
    browser.evaluate(f"(e => {{ e.value = {value!r}; for (const n of ['input', 'change']) e.dispatchEvent(new Event(n)); }})(document.getElementById('{name}'))")
    browser.evaluate(QUIET)


def said(browser):
    """What is wrong with the words and the numbers beside one another."""
    wrong = []

    def expect(what, holds, found):
        if not holds:
            wrong.append(f"{what}: found {found}")

    browser.evaluate("""(() => { // keeps the questions
      const send = Worker.prototype.postMessage;
      window.questions = [];
      Worker.prototype.postMessage = function (m) { if (m.question) questions.push(JSON.parse(m.question)); return send.apply(this, arguments); };
    })()""")
    for name in ("", "climb-kappa"):
        if name:
            choose(browser, "objective", "v-dsw")
            browser.evaluate("document.getElementById('blur').click()")
            for slider in ("climb-kappa", "blur-kappa"):
                choose(browser, slider, "12")
        quantity = "J_κ(θ), κ = 16" if name else "F(θ)"
        browser.evaluate("playground.choose(3, 'chair', 'teapot')")
        browser.evaluate(QUIET)
        browser.evaluate("document.getElementById('climb').click()")
        browser.evaluate(QUIET)
        row = [text(browser, n) for n in ("smallest", "value", "largest")]
        expect("smallest, this and largest", sorted(row, key=float) == row, row)
        found, (end, largest) = text(browser, "ascent-text"), browser.evaluate("(c => [c.values.at(-1), c.largest])(playground.state.climb)")
        expect("the ascent names what it raises and where it ends", found.startswith(quantity) and f" to {row[1]};" in found, [found, row])
        expect("an end below the largest is explained", (end < 0.99 * largest) == (f"{100 * end / largest:.0f} % of the largest" in found), [found, end, largest])
    browser.evaluate("document.getElementById('blur').click()")
    for dim in PAIRS:
        browser.evaluate(f"playground.choose({dim}, {PAIRS[dim][0]!r}, {PAIRS[dim][0]!r})")
        browser.evaluate(QUIET)
        different = browser.evaluate("playground.state.x.filter((v, i) => v !== playground.state.y[i]).length")
        expect("two samples of one shape", different > 900 and float(text(browser, "smallest")) > 0, different)
        expect("no NaN", "NaN" not in browser.evaluate("document.body.innerText"), text(browser, "predictions"))
    choose(browser, "distribution", "vmf")
    choose(browser, "kappa", "30")
    choose(browser, "flow-distribution", "markov")
    before = text(browser, "estimate-text")
    browser.evaluate("document.getElementById('play').click()")
    wait(lambda: browser.evaluate("playground.state.steps") > 8, 20, "steps of the flow")
    expect("the estimate follows the flow", text(browser, "estimate-text") != before, before)
    expect("no climb while the flow runs", browser.evaluate("document.getElementById('climb').disabled"), "a button that can be pressed")
    browser.evaluate("document.getElementById('play').click()")
    browser.evaluate(QUIET)
    q = browser.evaluate("questions.findLast(q => q.function === 'descend').settings")
    expect("the flow obeys its own card", [q["slicing"], q["kappa"]] == ["markov", "10"] and text(browser, "flow-kappa-out") == "10", q)
    sw, emd, mean = browser.evaluate("[playground.state.sw.at(-1), playground.state.emd.at(-1), playground.state.slice.mean]")
    found = text(browser, "flow-text")
    shown = [float(v) for v in re.findall("W₂ ([^,]+),", found)]
    expect("the flow says SW_2 and W_2", len(shown) == 2 and abs(shown[0] - sw) < 1e-3 * sw and abs(shown[1] - emd) < 1e-3 * emd, [found, sw, emd])
    expect("SW_2 of the flow is that of the map", abs(sw * sw - mean) < 1e-9 * mean, [sw, mean])
    choose(browser, "distribution", "uniform")
    choose(browser, "flow-distribution", "uniform")
    return wrong


def handled(browser):
    """What is wrong with mouse, keys, buttons, both themes and a phone's width."""
    wrong = []

    def changes(what, element, act):
        browser.evaluate(QUIET)
        before = text(browser, element)
        act()
        try:
            wait(lambda: text(browser, element) != before, 20, what)
        except TimeoutError:
            wrong.append(f"{what} changes nothing")

    browser.evaluate("playground.choose(3, 'chair', 'teapot')")
    browser.evaluate(QUIET)
    x, y, width, height = browser.box("document.getElementById('map')")
    changes("dragging on the map", "value", lambda: browser.drag((x + 0.3 * width, y + 0.4 * height), (x + 0.6 * width, y + 0.6 * height)))
    browser.evaluate("document.getElementById('map').focus()")
    changes("an arrow key on the map", "value", lambda: browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight"))
    changes("the mean around each direction", "largest", lambda: browser.evaluate("document.getElementById('blur').click()"))
    changes("Climb", "ascent-text", lambda: browser.evaluate("document.getElementById('climb').click()"))
    changes("another distribution", "estimate-text", lambda: choose(browser, "distribution", "qmc"))
    changes("Play", "flow-text", lambda: browser.evaluate("document.getElementById('play').click()"))
    browser.evaluate("document.getElementById('play').click()")
    changes("2-D", "value", lambda: browser.evaluate("document.querySelector('[data-dim=\"2\"]').click()"))
    browser.evaluate(QUIET)
    wrong += leaves(browser)
    x, y, width, height = browser.box("document.getElementById('scene')")
    changes("dragging the direction", "value", lambda: browser.drag((x + 0.7 * width, y + 0.5 * height), (x + 0.5 * width, y + 0.2 * height)))
    browser.evaluate("document.getElementById('draw-y').click()")
    browser.drag((x + 0.3 * width, y + 0.3 * height), (x + 0.7 * width, y + 0.7 * height))
    if f"press {text(browser, 'draw-y')}." not in text(browser, "scene-hint"):
        wrong.append(f"the button says {text(browser, 'draw-y')}, the hint {text(browser, 'scene-hint')}")
    changes("a drawn cloud", "mean", lambda: browser.evaluate("document.getElementById('draw-y').click()"))
    browser.evaluate(QUIET)
    if chosen(browser, "y") != "your drawing":
        wrong.append(f"after drawing, the list says {chosen(browser, 'y')}")
    changes("another pair with a drawing", "mean", lambda: browser.evaluate("document.getElementById('redraw').click()"))
    changes("the shape before the drawing", "mean", lambda: choose(browser, "shape-y", "moons"))
    grounds = set()
    for theme in ("light", "dark"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds.add(ground)
    browser.evaluate("document.getElementById('theme').click()")
    switched = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    if len(grounds) != 2 or switched not in grounds or switched == ground:
        wrong.append(f"expected a light and a dark ground, found {grounds}, and {switched} after the switch")
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    if browser.evaluate("document.documentElement.scrollWidth") > 390:
        wrong.append("at 390 pixels the page is wider than the window")
    browser.evaluate("scrollTo(0, 0); new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")  # it draws anew
    browser.evaluate(QUIET)
    places = browser.evaluate("['scene', 'value', 'slice'].map(n => document.getElementById(n).getBoundingClientRect().bottom)")
    if max(places) > 844:
        wrong.append(f"on a phone the direction, its number and the matching end at {places}, beyond one screen of 844 pixels")
    small = browser.evaluate("[...document.querySelectorAll('main button, main select')].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 43).map(e => e.id || e.textContent)")
    small = [name for name in small if name not in ("A", "EA", "G", "L", "LA", "LA, sorted", "N")]
    if small:
        wrong.append(f"on a phone these are lower than 44 pixels: {small}")
    return wrong


def tried(browser, page):
    """What is wrong with the states to try, the address, and what the reader saves."""
    wrong = []

    def expect(what, holds, found):
        if not holds:
            wrong.append(f"{what}: found {found}")

    numbers = "['value', 'mean', 'smallest', 'largest'].map(n => +document.getElementById(n).textContent)"
    for name in ("blind", "sixteen", "local", "samples"):
        browser.evaluate(f"playground.attempt('{name}')")
        browser.evaluate(QUIET)
        value, mean, smallest, largest = browser.evaluate(numbers)
        expect(f"{name}: a sentence", len(text(browser, "try-text")) > 40, text(browser, "try-text"))
        if name == "blind":
            expect("a blind slice costs little", value < 0.05 * mean, [value, mean])
        if name == "sixteen":
            expect("sixteen slices", text(browser, "estimate-text").startswith("L = 16:"), text(browser, "estimate-text"))
        if name == "local":
            expect("the climb ends at a local top", value < 0.97 * largest and "local maximum" in text(browser, "ascent-text"), [value, largest, text(browser, "ascent-text")])
        if name == "samples":
            expect("two samples differ a little", 0 < mean < 0.01, mean)
    browser.evaluate("playground.restore({ ...playground.now(), x: 'star', y: '~-0.5,0;0.5,0.5|0,0;0,1', theta: '0.6,0.8', slices: '3', distribution: 'qmc' })")
    browser.evaluate(QUIET)
    before = browser.evaluate("[playground.now(), " + numbers + "]")
    address = browser.evaluate("location.href")
    browser.open(address.replace(".html", ".html?again", 1))
    browser.evaluate("playground.ready")
    browser.evaluate(QUIET)
    expect("the address restores the state", before == browser.evaluate("[playground.now(), " + numbers + "]"), [before, address])
    browser.evaluate("document.getElementById('reset').click()")
    browser.evaluate(QUIET)
    expect("reset empties the address", browser.evaluate("location.hash") == "" and chosen(browser, "y") == "moons", browser.evaluate("location.href"))
    browser.evaluate("playground.attempt('sticks')")
    wait(lambda: browser.evaluate("playground.state.steps") >= 12, 60, "steps of the flow")
    browser.evaluate("document.getElementById('play').click()")
    browser.evaluate(QUIET)
    moved = browser.evaluate("(s => { const across = [-s.theta[1], s.theta[0]]; let most = 0; for (let i = 0; i < s.y.length; i += 2) "
                             "most = Math.max(most, Math.abs(across[0] * (s.y[i] - s.start[i]) + across[1] * (s.y[i + 1] - s.start[i + 1]))); return most; })(playground.state)")
    expect("a flow with one direction moves nothing across it", moved < 1e-5, moved)
    choose(browser, "scrub", "1")
    expect("scrubbing shows the state of step 4", text(browser, "flow-text").startswith("Step 4:") and browser.evaluate("playground.state.steps") == 4, text(browser, "flow-text"))
    for button, kind in (("save-picture", "image/png"), ("save-film", "video/")):
        if not browser.evaluate(f"document.getElementById('{button}').hidden"):
            browser.evaluate(f"document.getElementById('{button}').click()")
            wait(lambda: browser.evaluate("playground.saved && playground.saved.type").__class__ is str and browser.evaluate("playground.saved.type").startswith(kind), 30, button)
            expect(button, browser.evaluate("playground.saved.bytes") > 2000, browser.evaluate("playground.saved"))
    return wrong


def leaves(browser):
    """What is wrong after other clouds were chosen while the flow of the ones before ran: at ten moments of its step, and leaves 2-D."""
    wrong = []
    for k in range(10):
        dim = 3 - k % 2
        browser.evaluate(f"playground.choose({5 - dim}, {', '.join(map(repr, PAIRS[5 - dim]))})")
        browser.evaluate(QUIET)
        browser.evaluate("document.getElementById('play').click()")
        wait(lambda: browser.evaluate("playground.state.steps") > 0, 20, "a step of the flow")
        browser.evaluate(f"""(async () => {{
          await new Promise(done => setTimeout(done, {20 * k}));
          document.querySelector('[data-dim="{dim}"]').click();
          await playground.setTheta(playground.state.theta);
        }})(), 0""")
        browser.evaluate(QUIET)
        state = browser.evaluate("(s => [s.dim, s.y.length / s.dim, s.theta.length, s.steps, s.slice.y.length])(playground.state)")
        if state != [dim, 500, dim, 0, 500]:
            wrong.append(f"other clouds while the flow runs: expected dimension, points, coordinates, steps and projections {[dim, 500, dim, 0, 500]}, found {state}")
    browser.evaluate("playground.choose(2, 'ring', 'moons')")
    return wrong


def main(page, program):
    size = page.stat().st_size / 1e6
    wrong = [f"expected at most {MEGABYTES} MB, found {size:.1f}"] if size > MEGABYTES else []
    with tempfile.TemporaryDirectory() as folder, Browser(1400, 1000) as browser:
        browser.offline()
        browser.open(page.resolve().as_uri())
        start = browser.evaluate("playground.ready") / 1000
        browser.evaluate(QUIET)
        browser.evaluate("playground.choose(3, 'chair', 'teapot')")
        browser.evaluate(QUIET)
        before = cpu(browser.process)
        frames = browser.evaluate(DRAG)
        work = (cpu(browser.process) - before) / frames
        load = os.getloadavg()[0]
        wrong += tried(browser, page) + said(browser) + handled(browser) + browser.complaints()
        browser.open(page.resolve().as_uri())
        browser.evaluate("playground.ready")
        browser.evaluate(QUIET)
        check = Check(browser, program.resolve(), Path(folder))
        check.files()
        browser.evaluate("playground.forget()")
        for dim in PAIRS:
            check.numbers(dim)
        wrong += check.wrong + browser.complaints()
    for line in wrong:
        print(f"FAILED: {page}: {line}", file=sys.stderr)
    if wrong:
        raise SystemExit(1)
    print(f"  {size:.1f} MB; {check.compared} numbers are those of the command line; at a load of {load:.1f} on {os.cpu_count()} cores "
          f"it starts in {start:.1f} s "
          f"and turns at {frames / 2:.0f} frames a second with 2 x 500 points, {1000 * work:.0f} ms of one core each")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
