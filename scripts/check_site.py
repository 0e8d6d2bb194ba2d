"""Loads every page of a site from its files, without a network: check_site.py FOLDER. An error in a page's console, a request to the network,
a link that leads nowhere, a picture, formula or sphere that is not drawn, or a sphere that does not turn when it is dragged is a failure. So is
a sphere without its picture where scripts do not run."""

import sys
from pathlib import Path

import sphere
from browser import Browser
from pixels import drawn

# What is wrong with the page that is open.
LOOK = r"""(async () => {
  const wrong = [];
  for (const image of document.images) {
    image.loading = 'eager';
    await image.decode().catch(() => wrong.push('a picture is not drawn: ' + image.src.slice(0, 80)));
  }
  for (const formula of document.querySelectorAll('math'))
    if (!formula.getBoundingClientRect().width) wrong.push('a formula has no width: ' + formula.textContent);
  for (const text of document.querySelectorAll('.jp-RenderedMarkdown'))
    if (/\$[^$]+\$|formula\d+x/.test(text.innerText)) wrong.push('a formula is left as text: ' + text.innerText.slice(0, 80));
  if (!document.body.innerText.trim()) wrong.push('the page is empty');
  return wrong;
})()"""

LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"

# The picture above a sphere, in the outputs of the same cell.
PICTURE = "[...document.querySelectorAll('.swlab-sphere')[{number}].closest('.jp-Cell').querySelectorAll('img')].at(-1)"
SCRIPTED = "document.querySelectorAll('.swlab-sphere canvas').length"
MESSAGE = "document.querySelectorAll('.swlab-sphere')[{number}].innerText.trim()"


def moving(browser, folder):
    """What is wrong with the page that is open: where scripts run."""
    wrong = browser.evaluate(LOOK)
    for number in range(browser.evaluate(sphere.COUNT)):
        wrong += sphere.turn(browser, number)
    for link in browser.evaluate(LINKS):
        if "://" not in link and not link.startswith("#") and not (folder / link.split("#")[0]).exists():
            wrong.append(f"a link to nothing: {link}")
    return wrong + browser.complaints()


def still(browser):
    """What is wrong with its spheres where no script runs: each must leave a picture and say why it does not move."""
    wrong = ["a script has run though scripts are off"] if browser.evaluate(SCRIPTED) else []
    for number in range(browser.evaluate(sphere.COUNT)):
        if not browser.evaluate(MESSAGE.format(number=number)):
            wrong.append("without scripts a sphere says nothing")
        picture = PICTURE.format(number=number)
        if not browser.evaluate(f"!!{picture}"):
            wrong.append("without scripts a sphere has no picture")
        elif not drawn(sphere.look(browser, picture)):
            wrong.append("without scripts the picture of a sphere is blank")
    return wrong


def main(folder):
    pages = sorted(folder.glob("*.html"))
    if folder / "index.html" not in pages:
        raise SystemExit(f"{folder} has no index.html: make site makes it")
    failed = spheres = 0
    with Browser() as browser:
        browser.offline()
        for path in pages:
            browser.open(path.resolve().as_uri())
            wrong, count = moving(browser, folder), browser.evaluate(sphere.COUNT)
            if count:
                browser.scripts(run=False)
                browser.open(path.resolve().as_uri())
                wrong += still(browser)
                browser.scripts(run=True)
            for line in wrong:
                print(f"FAILED: {path.name}: {line}", file=sys.stderr)
            failed, spheres = failed + bool(wrong), spheres + count
    if not spheres:
        print("FAILED: no page has a sphere that turns", file=sys.stderr)
    if failed or not spheres:
        raise SystemExit(1)
    print(f"  {len(pages)} pages, no network, no errors; {spheres} spheres turn, and leave a picture where scripts do not run")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
