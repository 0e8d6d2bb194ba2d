"""Makes one static site: site.py FOLDER PLAYGROUND NOTEBOOK... It holds the playground (a page that make playground has built), a page for
each notebook as it is stored, and the pages of docs/ and docs/results/.

The pages need no network and no server: formulas are MathML, pictures are beside them or inside, and of scripts there are only those of the
outputs, of the playground, and the switch between light and dark. index.html leads to all of them.
"""

import base64
import html
import os
import re
import shutil
import sys
from pathlib import Path

import mistune
import nbformat
from nbconvert import HTMLExporter
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from formulas import Formulas

# What all pages share. {theme} are the playground's colours.
STYLE = """
{theme}
html {{ background: var(--ground); }}
body {{ margin: 0; background: var(--ground); color: var(--ink); }}
.site-bar, .site-next {{ box-sizing: border-box; max-width: 1100px; margin: 0 auto; padding: 12px 16px; display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: center;
  font: 15px/1.4 system-ui, "Liberation Sans", sans-serif; }}
.site-bar b {{ flex: 1; min-width: 4em; }}
.site-bar b a {{ color: inherit; text-decoration: none; }}
.site-next {{ justify-content: space-between; border-top: 1px solid var(--edge); margin-top: 24px; padding-bottom: 30px; }}
.site-bar a[aria-current] {{ color: inherit; font-weight: 600; text-decoration: none; }}
.site-bar button {{ font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 3px 10px; cursor: pointer; }}
a {{ color: var(--link); }}
:focus-visible {{ outline: 2px solid var(--link); outline-offset: 2px; }}
math {{ font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math, serif; font-size: 1.12em; }}
math[display="block"] {{ margin: .7em 0; overflow-x: auto; overflow-y: hidden; }}
"""

SCRIPT = """<script>
(function () {
  var root = document.documentElement, button = document.querySelector(".site-bar button");
  try { if (localStorage.getItem("theme")) root.dataset.theme = localStorage.getItem("theme"); } catch (e) { /* a page without storage */ }
  if (button) button.onclick = function () {
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch (e) { /* the same */ }
  };
})();
</script>"""

PARTS = {"playground.html": "Playground", "index.html#lectures": "Lectures", "index.html#documentation": "Documentation", "index.html#results": "Results"}

# nbconvert's own page without what it would fetch from the network.
TEMPLATE = """
{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js -%}{%- endblock html_head_js -%}
{%- block html_head_js_mathjax -%}{%- endblock html_head_js_mathjax -%}
{%- block html_head_js_mermaidjs -%}{%- endblock html_head_js_mermaidjs -%}
{%- block html_head_css -%}
<style>
SITE_STYLE
:root { --jp-layout-color0: var(--card); --jp-layout-color1: var(--card); --jp-layout-color2: var(--grid); --jp-cell-editor-background: var(--ground);
  --jp-content-font-color0: var(--ink); --jp-content-font-color1: var(--ink); --jp-content-font-color2: var(--muted); --jp-ui-font-color0: var(--ink);
  --jp-ui-font-color1: var(--ink); --jp-ui-font-color2: var(--muted); --jp-content-link-color: var(--link); --jp-border-color1: var(--edge); --jp-border-color2: var(--edge);
  --jp-border-color3: var(--grid); --jp-cell-editor-border-color: var(--edge); --jp-rendermime-table-row-background: var(--ground);
  --jp-rendermime-table-row-hover-background: var(--grid); --jp-cell-prompt-not-active-font-color: var(--muted); --jp-rendermime-error-background: var(--ground); }
PYGMENTS
body.jp-Notebook { background: var(--ground); padding: 0; }
main { max-width: 1100px; margin: 0 auto; padding: 0 12px; background: var(--card); }
main .highlight { background: var(--ground) !important; color: var(--ink); }
main img { background: #fff; border-radius: 6px; }
main details.code > summary { cursor: pointer; color: var(--muted); font: 13px system-ui, "Liberation Sans", sans-serif; padding: 4px 0 4px 72px; }
main .swlab-sphere, main .swlab-slice, main .swlab-flow { color: #1f2328; }
@media (max-width: 760px) {
  main .jp-InputPrompt, main .jp-OutputPrompt { display: none; }
  main details.code > summary { padding-left: 0; }
  body.jp-Notebook main .jp-Cell { padding-left: 0; padding-right: 0; }
}
main .highlight pre { white-space: pre-wrap; overflow-wrap: anywhere; }
main .jp-OutputArea-output { padding-left: 11px; }
main .swlab-table .scroll .grid { font-size: 12px; }
main .swlab-table .scroll .grid :is(th, td) { padding: .25em .45em; }
main .swlab-table .scroll .grid thead th { white-space: normal; vertical-align: bottom; }
main .swlab-table .scroll .grid th:first-child { position: sticky; left: 0; background: var(--jp-layout-color0, #fff); }
/* The widest tables leave the column of text to the right where the window has room, and scroll where it has not. */
main .jp-OutputArea-output:has(.swlab-table) { overflow: visible; }
main .swlab-table .scroll { width: max-content; max-width: calc(50vw + min(50vw, 550px) - 145px); }
@media (min-width: 900px) { main :is(p, li) code { white-space: nowrap; } }
</style>
{%- endblock html_head_css -%}
{%- block body_header -%}{{ super() }}SITE_BAR{%- endblock body_header -%}
{%- block body_footer -%}{{ super() }}{%- endblock body_footer -%}
{%- block input_group -%}
{%- if cell.source -%}
{%- set lines = cell.source.count("\n") + 1 -%}
<details class="code"{% if lines <= SHORT %} open{% endif %}><summary>{{ lines }} line{{ "s" if lines > 1 }} of Go</summary>{{ super() }}</details>
{%- endif -%}
{%- endblock input_group -%}
"""

SHORT = 15  # lines of a cell that is open when the page loads

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
main {{ max-width: 1100px; box-sizing: border-box; margin: 0 auto; padding: 8px 16px 24px; font: 16px/1.6 system-ui, "Liberation Sans", sans-serif; }}
main.text {{ max-width: 860px; }}
h1 {{ font-size: 1.8em; line-height: 1.25; }}
h2 {{ margin-top: 1.8em; }}
h1, h2, h3 {{ overflow-wrap: anywhere; }}
main.text img {{ max-width: 100%; background: #fff; border-radius: 6px; }}
pre {{ background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 10px 12px; overflow-x: auto; font-size: .86em; line-height: 1.45; }}
code {{ font-family: ui-monospace, "Liberation Mono", monospace; font-size: .92em; overflow-wrap: anywhere; }}
pre code {{ font-size: 1em; overflow-wrap: normal; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .9em; line-height: 1.4; }}
th, td {{ border-bottom: 1px solid var(--edge); padding: 5px 12px 5px 0; text-align: left; vertical-align: top; min-width: 4em; }}
{pygments}
.hero {{ display: block; background: var(--card); border: 1px solid var(--edge); border-radius: 10px; padding: 16px 20px; color: inherit; text-decoration: none; }}
.hero strong {{ color: var(--link); font-size: 1.15em; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(310px, 100%), 1fr)); gap: 18px; }}
.card {{ display: block; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; overflow: hidden; color: inherit; text-decoration: none; }}
.card:hover, .hero:hover {{ border-color: var(--link); }}
.card .picture {{ height: 165px; background: #fff; border-bottom: 1px solid var(--edge); }}
.card img {{ width: 100%; height: 100%; object-fit: contain; padding: 6px; box-sizing: border-box; }}
.card .words {{ padding: 10px 14px 12px; }}
.card h3 {{ margin: 0 0 4px; font-size: 1.05em; line-height: 1.3; }}
.card p {{ margin: 0; font-size: .9em; color: var(--muted); }}
.list {{ columns: 2 320px; padding-left: 1.2em; }}
</style>
</head>
<body>
{bar}
<main class="{kind}">
{body}
</main>
{after}
</body>
</html>
"""

INDEX = """<h1>Sliced Wasserstein distances on point clouds</h1>
<p>Distances between clouds, the networks trained with them, and the paper behind them, by the Go library swlab.</p>
<a class="hero" href="playground.html"><strong>Open the playground</strong><br>Two clouds, one direction to drag, and every number computed while you look. It runs in this page, without a network.</a>
<h2 id="lectures">Lectures</h2>
<p>Notebooks with their results. <code>make lab</code> opens them alive.</p>
{groups}<h2 id="documentation">Documentation</h2>
<ul class="list">{documents}</ul>
<h2 id="results">Results</h2>
<ul class="list">{results}</ul>
"""

# By the first digit of a notebook's number.
GROUPS = {"0": "From slices to trained networks", "1": "From slices to trained networks", "2": "Your own", "3": "The paper's tables"}

# Number of the output picture on the card of a notebook; 0 where none is chosen.
THUMBNAILS = {"00": 2, "01": 6, "07": 1, "08": 1, "10": 1, "12": 1, "13": 2, "14": 1}


def bar(up=""):
    """The navigation above a page; up leads from its folder to the site's."""
    links = "".join(f'<a href="{up}{target}">{name}</a>' for target, name in PARTS.items())
    return (f'<nav class="site-bar" aria-label="Site"><b><a href="{up}index.html">swlab</a></b>{links}'
            f'<button type="button" aria-label="Switch between light and dark">◐</button></nav>')


def neighbours(before, after):
    """The links below a page, to (address, title) before and after it in reading order; None at an end."""
    link = '<a rel="{}" href="{}">{}</a>'.format
    return ('<nav class="site-next" aria-label="Reading order">' + (link("prev", before[0], "← " + before[1]) if before else "<span></span>")
            + (link("next", after[0], after[1] + " →") if after else "") + "</nav>" + SCRIPT)


VIEW = re.compile(r'class="swlab-(?:sphere|slice|flow)"')


def opening(notebook):
    """The first interactive view of a notebook once more, for the top of its page: as a cell without code, with the picture above it for readers
    whose scripts do not run. An empty list if the notebook has none, or begins with it."""
    for number, cell in enumerate(notebook.cells):
        still = ""
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                still = f'<noscript><img alt="{html.escape(data.get("text/plain", ""))}" src="data:image/png;base64,{data["image/png"].strip()}"></noscript>'
            if VIEW.search(data.get("text/html", "")):
                shown = nbformat.v4.new_output("display_data", {"text/html": still + data["text/html"]})
                return [nbformat.v4.new_code_cell(id="opening", outputs=[shown])] if number > 3 else []
    return []


def lecture(notebook, name, site, after):
    """The notebook as a page, which opens with its first interactive view."""
    notebook.cells[1:1] = opening(notebook)
    language = notebook.metadata.language_info
    language["pygments_lexer"] = language.get("pygments_lexer") or language["name"]  # which the kernel leaves empty
    formulas = Formulas()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = site.linked(formulas.take(cell.source), Path("notebooks"))
        for output in cell.get("outputs", []):
            if hint := output.get("metadata", {}).get("hint"):
                output.data["text/markdown"] += f"\n\n<details><summary>Hint</summary>{html.escape(hint)}</details>"
            if "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = site.linked(formulas.take(output.data["text/markdown"]), Path("notebooks"))
            if "image/png" in output.get("data", {}) and "text/plain" in output.data:
                output.metadata.setdefault("image/png", {})["alt"] = output.data["text/plain"]
    template = TEMPLATE.replace("SITE_STYLE", site.style).replace("PYGMENTS", PYGMENTS).replace("SITE_BAR", bar()).replace("SHORT", str(SHORT))
    body, _ = HTMLExporter(raw_template=template).from_notebook_node(notebook, {"metadata": {"name": name}})
    return formulas.put(body).replace("</body>", after + "</body>")


class Document(mistune.HTMLRenderer):
    """Markdown as a code host shows it: headings have its anchors, code its colours, wide tables scroll."""

    def __init__(self):
        super().__init__(escape=False)
        self.anchors = {}

    def heading(self, text, level, **_):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]*>", "", html.unescape(text)).lower()).strip().replace(" ", "-")
        count = self.anchors[words] = self.anchors.get(words, -1) + 1
        return f'<h{level} id="{words}{f"-{count}" if count else ""}">{text}</h{level}>\n'

    def block_code(self, code, info=None):
        try:
            return highlight(code, get_lexer_by_name((info or "text").split()[0]), HtmlFormatter())
        except ClassNotFound:
            return super().block_code(code, info)


class Site:
    """Where the pages of the repository are in the site, and the files that they show."""

    def __init__(self, folder, theme, notebooks):
        self.folder, self.style = folder, STYLE.format(theme=theme)
        documents = [*sorted(Path("docs").glob("*.md")), *sorted(Path("docs/results").glob("*.md"))]
        self.pages = {p: Path(f"{p.stem}.html") for p in notebooks} | {p: p.with_suffix(".html") for p in documents}

    def linked(self, markdown, here):
        """The text, from a file in the folder here, with links to what is in the site. Of links to other files of the repository the words stay."""

        def link(match):
            picture, words, target = match.groups()
            if "://" in target or target.startswith("#"):
                return match[0]
            file, _, anchor = target.partition("#")
            path, home = Path(os.path.normpath(here / file)), Path() if here == Path("notebooks") else here
            if path in self.pages:
                place = os.path.relpath(self.pages[path], home)
            elif path.suffix in (".png", ".svg", ".csv", ".json") and path.parts[0] == "docs" and path.is_file():
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, self.folder / path)
                place = os.path.relpath(path, home)
            else:
                return words
            return f"{picture}[{words}]({place}{'#' + anchor if anchor else ''})"

        return re.sub(r"(!?)\[((?:[^\[\]]|\[[^\]]*\]|!\[[^\]]*\]\([^)]*\))*)\]\(([^()\s]+)\)", link, markdown)

    def document(self, path, after):
        """A page of the documentation."""
        formulas = Formulas()
        text = self.linked(formulas.take(path.read_text(encoding="utf-8")), path.parent)
        body = mistune.create_markdown(renderer=Document(), plugins=["table", "strikethrough", "url"])(text)
        body = formulas.put(body).replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        up = "../" * len(path.parent.parts)
        return PAGE.format(title=html.escape(title(path)), style=self.style, pygments=PYGMENTS, bar=bar(up), kind="text", body=body, after=after)


def title(path):
    """The first heading of a page of Markdown, in plain words."""
    return re.sub(r"[*`#]|\$", "", next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))).strip()


PYGMENTS = (HtmlFormatter(style="default").get_style_defs(".highlight")
            + "\n@media (prefers-color-scheme: dark) { " + HtmlFormatter(style="github-dark").get_style_defs(":root:not([data-theme=light]) .highlight") + " }\n"
            + HtmlFormatter(style="github-dark").get_style_defs(":root[data-theme=dark] .highlight") + "\n.highlight { background: none; }")


def words(notebook):
    """Title and first sentence of the notebook, as HTML."""
    formulas = Formulas()
    text = next((c.source for c in notebook.cells if c.cell_type == "markdown"), "")
    title, _, rest = text.partition("\n")
    paragraph = re.sub(r"\s+", " ", rest.strip().split("\n\n")[0])
    sentences = re.split(r"(?<=[.?!]) ", paragraph)
    line = sentences[0]
    for sentence in sentences[1:]:  # a short question is no line yet
        if len(line) > 60:
            break
        line += " " + sentence
    line = re.sub("[:,]$", ".", line)  # a formula came next
    return tuple(formulas.put(plain(formulas.take(part))) for part in (title.lstrip("# "), line))


def plain(markdown):
    return html.escape(re.sub(r"[*`]|\[(?=[^\]]*\]\()|\]\([^)]*\)", "", markdown))


def picture(notebook, number):
    """That picture of the outputs as PNG, None where there is none."""
    pictures = [o["data"]["image/png"] for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})]
    return base64.b64decode(pictures[number]) if number < len(pictures) else None


def card(path, notebook, folder):
    title, line = words(notebook)
    png, image = picture(notebook, THUMBNAILS.get(path.stem[:2], 0)), ""
    if png:
        (folder / f"{path.stem}.png").write_bytes(png)
        image = f'<img src="{path.stem}.png" alt="" loading="lazy">'
    return (f'<a class="card" href="{path.stem}.html"><div class="picture">{image}</div>'
            f'<div class="words"><h3>{title}</h3><p>{line}</p></div></a>\n')


def main(folder, playground, paths):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    page = playground.read_text(encoding="utf-8")
    site = Site(folder, re.search(r"/\* theme \*/(.*?)/\* end \*/", page, re.DOTALL)[1], paths)
    navigation = "".join(f'<a href="{target}">{name}</a>' for target, name in PARTS.items() if name != "Playground")
    (folder / "playground.html").write_text(page.replace("<!--navigation-->", f'<nav aria-label="Site">{navigation}</nav>'), encoding="utf-8")
    notebooks = {path: nbformat.read(path, as_version=4) for path in paths}
    titles = {path: words(notebooks[path])[0] if path in notebooks else html.escape(title(path)) for path in site.pages}
    order = list(site.pages)
    for i, path in enumerate(order):
        here = site.pages[path].parent
        before, after = ((os.path.relpath(site.pages[q], here), titles[q]) if q else None
                         for q in (order[i - 1] if i else None, order[i + 1] if i + 1 < len(order) else None))
        out = folder / site.pages[path]
        out.parent.mkdir(parents=True, exist_ok=True)
        links = neighbours(before, after)
        out.write_text(lecture(notebooks[path], path.stem, site, links) if path in notebooks else site.document(path, links), encoding="utf-8")
    cards = {}
    for path in paths:
        cards.setdefault(GROUPS.get(path.stem[0], "More"), []).append(card(path, nbformat.read(path, as_version=4), folder))
    groups = "".join(f'<h3>{name}</h3>\n<div class="cards">\n{"".join(some)}</div>\n' for name, some in cards.items())
    lists = ["".join(f'<li><a href="{site.pages[p]}">{titles[p]}</a></li>\n' for p in order if p.parent == Path(part)) for part in ("docs", "docs/results")]
    body = INDEX.format(groups=groups, documents=lists[0], results=lists[1])
    (folder / "index.html").write_text(PAGE.format(title="swlab: sliced Wasserstein distances on point clouds", style=site.style, pygments="", bar=bar(),
                                                   kind="front", body=body, after=SCRIPT), encoding="utf-8")
    print(f"  the playground, {len(paths)} notebooks, {len(order) - len(paths)} pages of documentation: {folder}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sorted(Path(p) for p in sys.argv[3:]))
