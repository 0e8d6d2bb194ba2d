"""Loads every page of a site from its files, without a network: check_site.py FOLDER. An error in a page's console, a request to the network,
a link that leads nowhere, or a picture, formula or sphere that is not drawn is a failure."""

import sys
from pathlib import Path

from browser import Browser

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
  for (const sphere of document.querySelectorAll('.swlab-sphere'))
    if (!sphere.querySelector('canvas')) wrong.push('a sphere is not drawn');
  if (!document.body.innerText.trim()) wrong.push('the page is empty');
  return wrong;
})()"""

LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"


def main(folder):
    pages = sorted(folder.glob("*.html"))
    if folder / "index.html" not in pages:
        raise SystemExit(f"{folder} has no index.html: make site makes it")
    failed = 0
    with Browser() as browser:
        browser.offline()
        for path in pages:
            browser.open(path.resolve().as_uri())
            wrong = browser.evaluate(LOOK) + browser.complaints()
            for link in browser.evaluate(LINKS):
                if "://" not in link and not link.startswith("#") and not (folder / link.split("#")[0]).exists():
                    wrong.append(f"a link to nothing: {link}")
            for line in wrong:
                print(f"FAILED: {path.name}: {line}", file=sys.stderr)
            failed += bool(wrong)
    if failed:
        raise SystemExit(1)
    print(f"  {len(pages)} pages, no network, no errors")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
