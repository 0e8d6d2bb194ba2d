"""A headless Chromium, driven through its DevTools protocol. As a program: is there a browser? Exit status 1 where there is none."""

import base64
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import websocket

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def program():
    """Path of a browser, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page of a browser of its own, with an empty profile. Use it in a with statement."""

    def __init__(self, width=1200, height=900):
        if program() is None:
            raise SystemExit(f"no browser found: expected one of {', '.join(NAMES)} on the PATH")
        self.profile = tempfile.TemporaryDirectory(prefix="swlab-browser-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-dev-shm-usage", "--remote-debugging-port=0", "--remote-allow-origins=*", f"--window-size={width},{height}",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.last, self.events = 0, []
        try:
            self.connect()
        except BaseException:
            self.close()
            raise

    def connect(self):
        """Opens the browser's socket and attaches to its page."""
        port = Path(self.profile.name, "DevToolsActivePort")
        wait(lambda: port.exists() and len(port.read_text().split()) == 2, 60, "the browser did not start")
        number, path = port.read_text().split()
        self.session = None
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{number}{path}", timeout=60)
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def call(self, method, **params):
        """The result of a method of the protocol; events that come before it are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def evaluate(self, script):
        """The value of a JavaScript expression, awaited if it is a promise."""
        out = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in out:
            raise RuntimeError(out["exceptionDetails"].get("exception", {}).get("description", "exception in the page"))
        return out["result"].get("value")

    def open(self, url, limit=60):
        """Loads the page, and forgets the events of the one before."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        wait(lambda: self.evaluate("location.href !== 'about:blank' && document.readyState === 'complete'"), limit, f"{url} did not load")

    def offline(self):
        """Cuts the page off from every network; files stay."""
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def complaints(self):
        """What went wrong since the page was opened: exceptions, console errors, and what asked for the network."""
        self.call("Runtime.evaluate", expression="0")  # collects the events that wait
        out = []
        for event in self.events:
            p = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description") or p["exceptionDetails"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "assert"):
                out.append("console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in p["args"]))
            elif event["method"] == "Log.entryAdded" and p["entry"]["level"] == "error":
                out.append(f"{p['entry']['text']} {p['entry'].get('url', '')}")
            elif event["method"] == "Network.requestWillBeSent" and p["request"]["url"].startswith(("http:", "https:", "ws:", "wss:")):
                out.append(f"asks for {p['request']['url']}")
        return out

    def screenshot(self, **clip):
        """What the window shows as PNG; clip: x, y, width, height of a part of it, in the page, and its scale."""
        options = {"clip": {"scale": 1, **clip}} if clip else {}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **options)["data"])

    def scripts(self, run):
        """Whether the pages opened from now on may run scripts."""
        self.call("Emulation.setScriptExecutionDisabled", value=not run)

    def box(self, element):
        """Brings an element, a JavaScript expression, into view: (x, y, width, height) in the window, once it stays where it is."""
        place = (f"(() => {{ const e = {element}; if (!e) return null; e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
                 "const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; })()")
        now, before = self.evaluate(place), None
        while now != before:  # what is above is laid out only when it comes into view, and moves what is below
            time.sleep(0.3)
            now, before = self.evaluate(place), now
        if now is None:
            raise LookupError(f"not in the page: {element}")
        return now

    def click(self, x, y):
        self.drag((x, y), (x, y), steps=1)

    def drag(self, start, end, steps=12):
        """Moves the mouse with its left button held from start to end, both (x, y) in the window."""
        def mouse(kind, at, buttons):
            self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=buttons, clickCount=1)

        mouse("mousePressed", start, 1)
        for i in range(1, steps + 1):
            mouse("mouseMoved", [a + (b - a) * i / steps for a, b in zip(start, end)], 1)
        mouse("mouseReleased", end, 0)


def wait(ready, limit, failure):
    """Waits until ready() is true; after limit seconds it is an error."""
    until = time.monotonic() + limit
    while not ready():
        if time.monotonic() > until:
            raise TimeoutError(f"{failure} within {limit} s")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(program() is None)
