"""Makes one static site: site.py FOLDER PLAYGROUND NOTEBOOK... It holds the playground (a page that make playground has built), a page for
each notebook as it is stored, and the pages of docs/ and docs/results/.

The pages need no network and no server: formulas are MathML, pictures are beside them or inside, and of scripts there are only those of the
outputs, of the playground, and the switch between light and dark. index.html leads to all of them.
"""

import base64
import html
import json
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
  // The answer to a question opens when it is guessed, now or on an earlier visit, and for a printer.
  var answers = Array.from(document.querySelectorAll("details.guess")), guessed = {};
  function open(which) { answers.filter(which).forEach(function (answer) { answer.open = true; }); }
  function known(id) { try { return guessed[id] || localStorage.getItem("swlab-said-" + id) !== null; } catch (e) { return false; } }
  function ready(answer) { return answer.dataset.questions.split(" ").every(known); }
  document.addEventListener("change", function (e) {
    var box = e.target.closest(".swlab-predict");
    if (box) guessed[JSON.parse(box.querySelector(".swlab-data").textContent).id] = true;
    open(ready);
  });
  addEventListener("beforeprint", function () { open(Boolean); });
  open(ready);
})();
</script>"""

PARTS = {"playground.html": "Playground", "index.html#lectures": "Lectures", "docs/findings.html": "What we found", "index.html#documentation": "Documentation"}

# What a page says of itself where its address is shared.
TAGS = """<title>{title}</title>
<meta name="description" content="{description}">
<meta property="og:title" content="{title}">
<meta property="og:description" content="{description}">
<meta property="og:type" content="website">"""

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
/* Pictures and views are light: on any page they stand in the middle of a light card, above the caption. */
main :is(.jp-RenderedImage, .jp-RenderedMarkdown) img { display: block; margin: 4px auto; background: #fff; border-radius: 9px; }
main :is(.swlab-sphere, .swlab-slice, .swlab-flow) { margin: 4px auto !important; }
main .swlab-caption { margin: 2px auto 14px; padding: 0 12px; font-size: 15px; text-align: center; }
main details.code > summary { cursor: pointer; color: var(--muted); font: 13px system-ui, "Liberation Sans", sans-serif; padding: 4px 0 4px 72px; }
main details.guess > summary { cursor: pointer; color: var(--link); font: 15px system-ui, "Liberation Sans", sans-serif; padding: 10px 0 10px 72px; }
main details.guess[open] > summary { display: none; }
main .swlab-sphere, main .swlab-slice, main .swlab-flow { color: #1f2328; }
@media (max-width: 760px) {
  main .jp-InputPrompt, main .jp-OutputPrompt { display: none; }
  main details > summary { padding-left: 0 !important; }
  body.jp-Notebook main .jp-Cell { padding-left: 0; padding-right: 0; }
}
main .highlight pre { white-space: pre-wrap; overflow-wrap: anywhere; }
main .jp-OutputArea-output { padding-left: 11px; }
main .swlab-table .scroll :is(.grid, .grid .paper) { font-size: 12px; }
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
{%- block data_png scoped -%}
<div class="jp-RenderedImage jp-OutputArea-output {{ extra_class }}"><img alt="{{ output.data["text/plain"] | escape_html }}" src="data:image/png;base64,{{ output.data["image/png"] }}"
width="{{ output | get_metadata("width", "image/png") or "" }}"></div>
{%- endblock data_png -%}
{%- block input_group -%}
{%- if cell.source.startswith("%%\nlab.Predict") -%}
{%- elif cell.metadata.get("jupyter", {}).get("source_hidden") -%}
<details class="code"><summary>{{ cell.source.partition("\n")[0].lstrip("/ ") | escape_html }}</summary>{{ super() }}</details>
{%- elif cell.source -%}
{{ super() }}
{%- endif -%}
{%- endblock input_group -%}
{%- block any_cell scoped -%}
{%- if cell.questions -%}<details class="guess" data-questions="{{ cell.questions }}"><summary>Guess, and the answer opens. Or open it here.</summary>{%- endif -%}
{{ super() }}
{%- if cell.last -%}</details>{%- endif -%}
{%- endblock any_cell -%}
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{tags}
<style>
{style}
main {{ max-width: 1100px; box-sizing: border-box; margin: 0 auto; padding: 8px 16px 24px; font: 16px/1.6 system-ui, "Liberation Sans", sans-serif; }}
main.text {{ max-width: 860px; }}
h1 {{ font-size: 1.8em; line-height: 1.25; }}
h2 {{ margin-top: 1.8em; }}
h1, h2, h3 {{ overflow-wrap: anywhere; }}
main.text img {{ max-width: 100%; height: auto; background: #fff; border-radius: 9px; }}
pre {{ background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 10px 12px; overflow-x: auto; font-size: .86em; line-height: 1.45; }}
code {{ font-family: ui-monospace, "Liberation Mono", monospace; font-size: .92em; overflow-wrap: anywhere; }}
pre code {{ font-size: 1em; overflow-wrap: normal; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: .9em; line-height: 1.4; }}
th, td {{ border-bottom: 1px solid var(--edge); padding: 5px 12px 5px 0; text-align: left; vertical-align: top; min-width: 4em; }}
{pygments}
.hero {{ display: grid; grid-template-columns: minmax(0, 1fr) 340px; gap: 14px; }}
.hero .swlab-slice {{ margin: 0 !important; }}
.hero noscript img {{ width: 100%; background: #fff; border-radius: 9px; }}
.doors {{ display: grid; gap: 14px; margin: 4px 0; }}
.door {{ align-content: center; }}
.door, .card {{ display: block; background: var(--card); border: 1px solid var(--edge); border-radius: 9px; padding: 12px 16px; color: inherit; text-decoration: none; line-height: 1.45; }}
.door:hover, .card:hover, .path a:hover {{ border-color: var(--link); }}
.door strong, .card strong {{ display: block; color: var(--link); }}
.path, .cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(340px, 100%), 1fr)); gap: 14px; padding: 0; list-style: none; }}
.path a {{ display: flex; gap: 14px; box-sizing: border-box; height: 100%; background: var(--card); border: 1px solid var(--edge); border-radius: 9px; padding: 10px; color: inherit;
  text-decoration: none; line-height: 1.35; }}
.path .square {{ flex: none; width: 112px; height: 112px; overflow: hidden; background: #fff; border-radius: 6px; }}
.path .square img {{ display: block; transform-origin: 0 0; }}
.path strong {{ display: block; color: var(--link); margin: 2px 0 5px; }}
.path b {{ color: var(--muted); font-weight: 600; }}
.path small, .cards small {{ font-size: .9em; color: var(--muted); }}
.groups {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(185px, 100%), 1fr)); gap: 4px 28px; }}
.groups ul {{ margin: 0; padding-left: 1.2em; }}
@media (max-width: 760px) {{ .hero {{ grid-template-columns: minmax(0, 1fr); }} }}
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
<p>swlab measures how far apart two clouds of points are, one direction at a time: project both on a line, match in order, average over the lines. It is a Go library with a
command line, notebooks and a Python package, and it repeats the experiments of a <a href="https://arxiv.org/abs/2301.04791">paper</a> on training with such distances.</p>
<section class="hero">
<div>{view}</div>
<div class="doors">
<a class="door" href="playground.html"><strong>See it</strong>The playground: drag a direction through two clouds. All is computed in the page.</a>
<a class="door" href="#lectures"><strong>Learn it in {count} steps</strong>Lectures with a question before every picture. Start with how to move one cloud onto another.</a>
<a class="door" href="docs/findings.html"><strong>What we found</strong>Which loss trains best, and do chosen directions pay? Answers in numbers.</a>
</div>
</section>
<h2 id="lectures">The lectures, in order</h2>
<p>Each has one goal and ends with exercises. To run and edit them: <code>make lab</code>.</p>
<ol class="path">
{lectures}</ol>
<h2 id="results">What we found</h2>
<p><a href="docs/findings.html">The answers with their pictures.</a></p>
<div class="cards">
{findings}</div>
<h2 id="documentation">Documentation</h2>
<div class="groups">
{documents}</div>
"""

# The pages of docs/ by what a reader wants; those not named are for contributors.
DOCUMENTS = {
    "Use it": ["cli", "python", "go", "notebooks", "conventions", "datasets", "paper_pictures", "containers", "cluster"],
    "Understand it": ["theory", "teaching", "solutions", "network"],
    "Reproduce it": ["findings", "claims", "reproduction", "deviations", "measured", "reliability", "performance"],
    "Contribute": ["adding", "architecture", "upstream", "third_party"],
}

# The square of an output picture on the card of a lecture: number of the picture, and the square's left side (share of the width), top (share of
# the height) and side (share of the width).
SQUARES = {
    "00": (0, .74, .17, .2), "01": (0, .06, .2, .42), "02": (2, .2, .03, .47), "03": (3, .2, .03, .47), "04": (0, .03, .09, .94), "05": (1, .2, .03, .47),
    "06": (2, .02, .12, .4), "07": (0, 0, .05, .5), "08": (0, .03, .22, .42), "09": (0, .1, .05, .85), "10": (0, .38, .15, .36), "11": (0, .06, .02, .38),
    "12": (0, .06, .04, .62), "13": (3, .18, .03, .47), "14": (2, .35, .03, .4), "15": (1, .53, .08, .42), "16": (3, .17, .13, .31), "17": (0, .56, .22, .15),
    "18": (1, .3, .02, .4), "19": (0, .02, .09, .48), "20": (0, .35, .2, .17),
}


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


def hero(notebooks):
    """The first interactive view of the notebooks, with the picture above it for readers whose scripts do not run."""
    still = ""
    for output in (o for notebook in notebooks for cell in notebook.cells for o in cell.get("outputs", [])):
        data = output.get("data", {})
        if "image/png" in data:
            still = f'<noscript><img alt="{html.escape(data.get("text/plain", ""))}" src="data:image/png;base64,{data["image/png"].strip()}"></noscript>'
        if VIEW.search(data.get("text/html", "")):
            return still + data["text/html"]
    return ""


PREDICT = re.compile(r'class="swlab-data">({"id":.*?})</script>')


def parted(cells):
    """The cells, with those of Markdown parted before each heading."""
    for cell in cells:
        parts = re.split("(?m)^(?=## )", cell.source) if cell.cell_type == "markdown" else [cell.source]
        for i, part in enumerate(parts):
            if part.strip() or cell.cell_type == "code":
                yield nbformat.from_dict({**cell, "id": f"{cell.id}-{i}" if i else cell.id, "source": part})


def fold(cells):
    """Marks what a page folds until the reader has guessed: between a question and the next, from the first output to the last answer, and what is
    below it up to a heading or a helper. The first cell of a fold gets the names of the questions that it answers, the last one is marked."""
    said = [[json.loads(data) for o in cell.get("outputs", []) for data in PREDICT.findall(o.get("data", {}).get("text/html", ""))] for cell in cells]
    asks = [i for i, ones in enumerate(said) if any(one.get("question") for one in ones)]
    for here, there in zip(asks, [*asks[1:], len(cells)]):
        answers = [i for i in range(here + 1, there) if said[i]]
        if not answers:
            continue
        first, last = next(i for i in range(here + 1, there) if cells[i].get("outputs")), answers[-1]
        while last + 1 < there and cells[last + 1].get("outputs", True) and not cells[last + 1].source.startswith("#"):
            last += 1
        cells[first].questions, cells[last].last = " ".join(one["id"] for i in answers for one in said[i]), True


def lecture(notebook, site, after):
    """The notebook as a page."""
    language = notebook.metadata.language_info
    language["pygments_lexer"] = language.get("pygments_lexer") or language["name"]  # which the kernel leaves empty
    formulas = Formulas()
    notebook.cells = list(parted(notebook.cells))
    fold(notebook.cells)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = site.linked(formulas.take(cell.source), Path("notebooks"))
        for output in cell.get("outputs", []):
            if hint := output.get("metadata", {}).get("hint"):
                output.data["text/markdown"] += f"\n\n<details><summary>Hint</summary>{html.escape(hint)}</details>"
            if "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = site.linked(formulas.take(output.data["text/markdown"]), Path("notebooks"))
    template = TEMPLATE.replace("SITE_STYLE", site.style).replace("PYGMENTS", PYGMENTS).replace("SITE_BAR", bar())
    name, minutes, goal = about(notebook)
    body, _ = HTMLExporter(raw_template=template).from_notebook_node(notebook)
    body = re.sub("<title>.*?</title>", lambda _: tags(name, f"A lecture of {minutes} minutes. Goal: {goal}."), body, count=1)
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
        named = [Path("docs", f"{name}.md") for names in DOCUMENTS.values() for name in names]
        documents = list(dict.fromkeys([*named, *sorted(Path("docs").glob("*.md")), *sorted(Path("docs/results").glob("*.md"))]))
        # The notebook of a table has no page of its own: the table's page shows what it shows.
        tables = {p: Path("docs/results", f"{p.stem[3:]}.md") for p in notebooks}
        tables = {p: page for p, page in tables.items() if page in documents}
        self.lectures = [p for p in notebooks if p not in tables]
        self.order = [*self.lectures, *documents]
        self.pages = {p: Path(f"{p.stem}.html") for p in self.lectures} | {p: p.with_suffix(".html") for p in documents}
        self.pages |= {p: self.pages[page] for p, page in tables.items()}

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
        source = path.read_text(encoding="utf-8")
        text = self.linked(formulas.take(source), path.parent)
        body = mistune.create_markdown(renderer=Document(), plugins=["table", "strikethrough", "url"])(text)
        body = formulas.put(body).replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        up = "../" * len(path.parent.parts)
        return PAGE.format(tags=tags(title(path), first(source)), style=self.style, pygments=PYGMENTS, bar=bar(up), kind="text", body=body, after=after)


def title(path):
    """The first heading of a page of Markdown, in plain words."""
    return re.sub(r"[*`#]|\$", "", next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))).strip()


PYGMENTS = (HtmlFormatter(style="default").get_style_defs(".highlight")
            + "\n@media (prefers-color-scheme: dark) { " + HtmlFormatter(style="github-dark").get_style_defs(":root:not([data-theme=light]) .highlight") + " }\n"
            + HtmlFormatter(style="github-dark").get_style_defs(":root[data-theme=dark] .highlight") + "\n.highlight { background: none; }")


def tags(title, description):
    return TAGS.format(title=html.escape(f"{title} · swlab", quote=True), description=html.escape(description, quote=True))


def first(markdown):
    """The first paragraph of a page in plain words, cut at the end of a sentence or word before 200 characters."""
    paragraphs = (plain(re.sub(r"\s+", " ", p)).strip() for p in markdown.split("\n\n") if re.match(r"[\w*`\[]", p) and "$" not in p)
    text = next((p for p in paragraphs if len(p) > 30), "")
    return text if len(text) <= 200 else re.sub(r"(?s)(.*[.?!](?= )|.*(?= )).*", r"\1", text[:200])


def about(notebook):
    """Title, minutes and goal of a lecture, in plain words."""
    text = notebook.cells[0].source
    line = re.search(r"^\*(\d+) minutes · goal: (.*?) · needs", text, re.MULTILINE)
    return (plain(text.partition("\n")[0].lstrip("# ")), *(map(plain, line.groups()) if line else ("", "")))


def plain(markdown):
    """The words of a line of Markdown."""
    return re.sub(r"<!--.*?-->|[*`$]|!?\[(?=[^\]]*\]\()|\]\([^)]*\)", "", markdown)


def card(path, notebook, folder):
    """The lecture as an item of the path."""
    title, minutes, goal = map(html.escape, about(notebook))
    number, left, top, side = SQUARES.get(path.stem[:2], (0, 0, 0, 1))
    pictures = [o["data"]["image/png"] for c in notebook.cells for o in c.get("outputs", []) if "image/png" in o.get("data", {})]
    image = ""
    if number < len(pictures):
        (folder / f"{path.stem}.png").write_bytes(base64.b64decode(pictures[number]))
        image = f'<img src="{path.stem}.png" alt="" loading="lazy" style="width:{100 / side:.0f}%;transform:translate({-100 * left:.1f}%,{-100 * top:.1f}%)">'
    return (f'<li><a href="{path.stem}.html"><span class="square">{image}</span><span><b>{path.stem[:2]}</b> <small>{minutes} minutes</small>'
            f"<strong>{title}</strong><small>{goal}</small></span></a></li>\n")


def findings():
    """The questions of docs/findings.md as cards, with their answers."""
    rows = re.findall(r"^## \[(.*?)\]\((.*?)\.md\)\n\n(.*)", Path("docs/findings.md").read_text(encoding="utf-8"), re.MULTILINE)
    return "".join(f'<a class="card" href="docs/{page}.html"><strong>{html.escape(question)}</strong><small>{html.escape(plain(answer))}</small></a>\n'
                   for question, page, answer in rows)


def listed(name, links):
    return f"<div><h3>{name}</h3><ul>{''.join(links)}</ul></div>\n"


def main(folder, playground, paths):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    page = playground.read_text(encoding="utf-8")
    site = Site(folder, re.search(r"/\* theme \*/(.*?)/\* end \*/", page, re.DOTALL)[1], paths)
    navigation = "".join(f'<a href="{target}">{name}</a>' for target, name in PARTS.items() if name != "Playground")
    (folder / "playground.html").write_text(page.replace("<!--navigation-->", f'<nav aria-label="Site">{navigation}</nav>'), encoding="utf-8")
    notebooks = {path: nbformat.read(path, as_version=4) for path in paths}
    titles = {path: about(notebooks[path])[0] if path in notebooks else title(path) for path in site.order}
    titles = {path: html.escape(words) for path, words in titles.items()}
    for before, path, after in zip([None, *site.order], site.order, [*site.order[1:], None]):
        here = site.pages[path].parent
        links = neighbours(*((os.path.relpath(site.pages[q], here), titles[q]) if q else None for q in (before, after)))
        out = folder / site.pages[path]
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(lecture(notebooks[path], site, links) if path in notebooks else site.document(path, links), encoding="utf-8")
    shown, found = {p: f'<li><a href="{site.pages[p]}">{titles[p]}</a></li>' for p in site.order}, findings()
    groups = {name: [shown[Path("docs", f"{page}.md")] for page in pages] for name, pages in DOCUMENTS.items()}
    groups["Contribute"] += [link for p, link in shown.items() if p.parent == Path("docs") and not any(link in links for links in groups.values())]
    groups["Measurements"] = [link for p, link in shown.items() if p.parent == Path("docs/results") and f'"{site.pages[p]}"' not in found]
    # The slice in the plane of lecture 02, or else what comes first.
    first_view = hero(notebooks[p] for p in sorted(site.lectures, key=lambda p: p.stem[:2] != "02"))
    body = INDEX.format(count=len(site.lectures), view=first_view, lectures="".join(card(p, notebooks[p], folder) for p in site.lectures), findings=found,
                        documents="".join(listed(*group) for group in groups.items()))
    words = "Two point clouds, compared along one direction at a time: a playground, lectures, and what came of training networks with sliced Wasserstein distances."
    (folder / "index.html").write_text(PAGE.format(tags=tags("Sliced Wasserstein distances on point clouds", words), style=site.style, pygments="", bar=bar(),
                                                   kind="front", body=body, after=SCRIPT), encoding="utf-8")
    print(f"  the playground, {len(site.lectures)} lectures, {len(site.order) - len(site.lectures)} pages of documentation: {folder}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sorted(Path(p) for p in sys.argv[3:]))
