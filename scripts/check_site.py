"""Loads every page of a site from its files, without a network: check_site.py FOLDER. An error in a page's console, a request to the network,
a link or an anchor that leads nowhere, a picture, formula or interactive view that is not drawn, a view that does not turn when it is dragged, text
that cannot be read in the light, in the dark or on a phone, an answer that is open before its question is answered or stays closed after it, a page
that stays light in the dark or says nothing of itself where it is shared, a page to which index.html does not lead, and a page wider than a phone
are failures. So is a view without its picture where scripts do not run."""

import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import views
from browser import Browser
from pixels import drawn

# What is wrong with the page that is open.
LOOK = r"""(async () => {
  const wrong = [];
  for (const image of document.images) {
    image.loading = 'eager';
    if (!image.alt && !image.closest('.path') || /^No description/.test(image.alt)) wrong.push('a picture without words: ' + image.src.slice(0, 40));
    await image.decode().catch(() => wrong.push('a picture is not drawn: ' + image.src.slice(0, 80)));
  }
  for (const formula of document.querySelectorAll('math'))
    if (!formula.getBoundingClientRect().width) wrong.push('a formula has no width: ' + formula.textContent);
  for (const text of document.querySelectorAll('.jp-RenderedMarkdown'))
    if (/\$[^$]+\$|formula\d+x/.test(text.innerText)) wrong.push('a formula is left as text: ' + text.innerText.slice(0, 80));
  if (!document.body.innerText.trim()) wrong.push('the page is empty');
  for (const name of ['meta[name="description"]', 'meta[property="og:title"]', 'meta[property="og:description"]'])
    if (!(document.querySelector(name)?.content.length > 10)) wrong.push('it lacks ' + name);
  for (const part of document.querySelectorAll('main .jp-RenderedImage img, main :is(.swlab-sphere, .swlab-slice, .swlab-flow)')) {
    const own = part.getBoundingClientRect(), room = part.parentElement.getBoundingClientRect();
    if (own.width && part.closest('.jp-Cell') && Math.abs(own.left + own.right - room.left - room.right) > 24) wrong.push('not in the middle: ' + (part.alt || part.className));
  }
  for (const hint of document.querySelectorAll('details:not(.code, .guess)[open]')) wrong.push('a hint is open: ' + hint.innerText.slice(0, 40));
  return wrong;
})()"""

# Answers that are open before their questions are answered, or closed after that: it answers all of them.
GUESS = r"""(() => {
  const answers = [...document.querySelectorAll('details.guess')], open = answers.filter(e => e.open);
  for (const box of document.querySelectorAll('.swlab-predict')) {
    const input = box.querySelector('input');
    if (input?.type === 'radio') input.click();
    else input?.dispatchEvent(new Event('change', { bubbles: true }));
  }
  return open.map(e => 'an answer is open before its question is answered: ' + e.dataset.questions)
    .concat(answers.filter(e => !e.open).map(e => 'an answer stays closed: ' + e.dataset.questions));
})()"""

OPEN = "document.querySelectorAll('details').forEach(e => { e.open = true; })"

# What a lecture, or the path of them on the first page, lacks.
PATH = r"""[...document.querySelectorAll('.path li')].filter(e => !e.querySelector('img') || !/^\d+ [1-9]\d* minutes \S+.* \S+/.test(e.innerText.replace(/\s+/g, ' ').trim()))
  .map(e => 'a lecture without picture, minutes or goal: ' + e.innerText)"""

# A page that stays light in the dark, and pictures in it whose ground is not light.
DARK = r"""(() => {
  const light = e => { const c = getComputedStyle(e).backgroundColor.match(/[\d.]+/g).map(Number); return c[3] === 0 ? null : (c[0] + c[1] + c[2]) / 765; };
  return (light(document.body) < 0.2 ? [] : ['the page stays light in the dark'])
    .concat([...document.querySelectorAll('main .jp-RenderedImage img, main.text img')].filter(e => !(light(e) > 0.9)).map(e => 'a picture without a light ground in the dark: ' + e.alt));
})()"""

# Text that is too small for a phone.
SMALL = r"""[...document.body.querySelectorAll('*')].filter(e => !e.closest('svg, canvas, math, sub, sup, option, script, style, noscript') && e.checkVisibility()
  && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) && parseFloat(getComputedStyle(e).fontSize) < 11)
  .map(e => e.tagName + '.' + e.className + ': ' + e.innerText.slice(0, 30))"""

# Text whose colour hardly differs from its ground: a contrast of WCAG 2 below 3.
READABLE = r"""(() => {
  const wrong = new Set(), lit = c => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const numbers = text => (text.match(/[\d.]+/g) || []).map(Number), light = c => 0.2126 * lit(c[0]) + 0.7152 * lit(c[1]) + 0.0722 * lit(c[2]);
  for (const e of document.body.querySelectorAll('*')) {
    if (e.closest('svg, canvas, option, script, style, noscript') || !e.checkVisibility()) continue;
    const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('');
    if (!own) continue;
    let ground = [255, 255, 255, 1];
    for (let p = e; p; p = p.parentElement) {
      const c = numbers(getComputedStyle(p).backgroundColor);
      if (c.length === 3 || c[3] > 0.5) { ground = c; break; }
    }
    const a = light(numbers(getComputedStyle(e).color)), b = light(ground);
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 3) wrong.add(e.tagName + '.' + e.className + ': ' + own.slice(0, 30));
  }
  return [...wrong];
})()"""

LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"

# The picture above a view, in the outputs of the same cell.
PICTURE = "[..." + views.ALL + "[{number}].closest('.jp-Cell, .hero').querySelectorAll('img')].at(-1)"
SCRIPTED = "[..." + views.ALL + "].some(view => view.querySelector('canvas'))"
MESSAGE = views.ALL + "[{number}].innerText.trim()"


@cache
def anchors(path):
    """The ids in a page."""
    return set(re.findall(r"\bid=[\"']([^\"']+)[\"']", path.read_text(encoding="utf-8")))


def astray(path, link):
    """Whether a link in the page at path leads to nothing in the site."""
    if "://" in link or link.startswith("mailto:"):
        return False
    file, _, anchor = link.partition("#")
    target = path.parent / file if file else path
    return not target.exists() or bool(anchor) and target.suffix == ".html" and not {anchor, unquote(anchor)} & anchors(target)


def moving(browser, path):
    """What is wrong with the page that is open: where scripts run."""
    wrong = browser.evaluate(GUESS) + browser.evaluate(LOOK)
    for number in range(browser.evaluate(views.COUNT)):
        wrong += views.turn(browser, number)
    wrong += [f"a link to nothing: {link}" for link in browser.evaluate(LINKS) if astray(path, link)]
    return wrong + browser.complaints()


def looks(browser):
    """What is wrong with it in the light, in the dark, and on a phone."""
    wrong = []
    browser.evaluate(OPEN)
    for theme in ("dark", "light"):
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        wrong += [f"{theme}: hard to read: {text}" for text in browser.evaluate(READABLE)[:5]]
        wrong += browser.evaluate(DARK)[:5] if theme == "dark" else []
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    width = browser.evaluate("document.documentElement.scrollWidth")
    wrong += [f"too small on a phone: {text}" for text in browser.evaluate(SMALL)[:5]]
    browser.call("Emulation.clearDeviceMetricsOverride")
    return wrong + ([f"on a phone of 390 pixels the page has {width}"] if width > 390 else [])


def still(browser):
    """What is wrong with its views where no script runs: each must leave a picture and say why it does not move."""
    wrong = ["a script has run though scripts are off"] if browser.evaluate(SCRIPTED) else []
    browser.evaluate(OPEN)
    for number in range(browser.evaluate(views.COUNT)):
        if not browser.evaluate(MESSAGE.format(number=number)):
            wrong.append("without scripts a view says nothing")
        picture = PICTURE.format(number=number)
        if not browser.evaluate(f"!!{picture}"):
            wrong.append("without scripts a view has no picture")
        elif not drawn(views.look(browser, picture)):
            wrong.append("without scripts the picture of a view is blank")
    return wrong


def main(folder):
    pages = sorted(folder.rglob("*.html"))
    if folder / "index.html" not in pages:
        raise SystemExit(f"{folder} has no index.html: make site makes it")
    failed = seen = 0
    with Browser() as browser:
        browser.offline()
        for path in pages:
            browser.open(path.resolve().as_uri())
            wrong, count = moving(browser, path) + looks(browser), browser.evaluate(views.COUNT)
            if path == folder / "index.html":
                wrong += browser.evaluate(PATH) + ([] if count else ["its first picture does not turn"])
                answers = browser.evaluate("document.querySelectorAll('.card[href^=\"docs/results/\"] small').length")
                wrong += [] if answers >= 10 else [f"{answers} of the ten answers of docs/findings.md"]
                led = {(folder / link.partition("#")[0]).resolve() for link in browser.evaluate(LINKS)}
                wrong += [f"it does not lead to {page.relative_to(folder)}" for page in pages if page != path and page.resolve() not in led]
            if count:
                browser.scripts(run=False)
                browser.open(path.resolve().as_uri())
                wrong += still(browser)
                browser.scripts(run=True)
            for line in wrong:
                print(f"FAILED: {path.relative_to(folder)}: {line}", file=sys.stderr)
            failed, seen = failed + bool(wrong), seen + count
    if not seen:
        print("FAILED: no page has a view that turns", file=sys.stderr)
    if failed or not seen:
        raise SystemExit(1)
    print(f"  {len(pages)} pages, no network, no errors, readable in the light, in the dark and on a phone; {seen} views turn, and leave a picture where scripts do not run")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
