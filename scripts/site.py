"""Makes static pages of the notebooks, as they are stored: site.py FOLDER NOTEBOOK...

The pages need no network and no server: formulas are MathML, pictures are inside, and of scripts there are only those of the outputs.
index.html has a card for each: its first picture, its title, its first sentence.
"""

import base64
import html
import re
import sys
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter

from formulas import Formulas

# nbconvert's own page without what it would fetch from the network.
TEMPLATE = """
{%- extends 'lab/index.html.j2' -%}
{%- block html_head_js -%}{%- endblock html_head_js -%}
{%- block html_head_js_mathjax -%}{%- endblock html_head_js_mathjax -%}
{%- block html_head_js_mermaidjs -%}{%- endblock html_head_js_mermaidjs -%}
{%- block html_head_css -%}
<style>
main { max-width: 1100px; margin: 0 auto; padding: 0 12px; }
main math { font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math, serif; font-size: 1.12em; }
main math[display="block"] { margin: .7em 0; overflow-x: auto; overflow-y: hidden; }
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
a.home { display: inline-block; margin: 12px 0 0 8px; font: 14px system-ui, sans-serif; }
</style>
{%- endblock html_head_css -%}
{%- block body_header -%}{{ super() }}<a class="home" href="index.html">All notebooks</a>{%- endblock body_header -%}
"""

INDEX = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>swlab: notebooks</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 24px; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(310px, 1fr)); gap: 18px; }}
.card {{ display: block; border: 1px solid rgba(128, 128, 128, .4); border-radius: 8px; overflow: hidden; color: inherit; text-decoration: none; }}
.card:hover, .card:focus-visible {{ border-color: #0072B2; outline: none; box-shadow: 0 0 0 1px #0072B2; }}
.card .picture {{ height: 165px; background: #fff; border-bottom: 1px solid rgba(128, 128, 128, .25); }}
.card img {{ width: 100%; height: 100%; object-fit: contain; padding: 6px; box-sizing: border-box; }}
.card .words {{ padding: 10px 14px 12px; }}
.card h3 {{ margin: 0 0 4px; font-size: 1.05em; line-height: 1.3; }}
.card p {{ margin: 0; font-size: .9em; opacity: .8; }}
</style>
</head>
<body>
<h1>Sliced Wasserstein distances on point clouds</h1>
<p>Notebooks with their results. <code>make lab</code> opens them alive.</p>
{groups}</body>
</html>
"""

# By the first digit of a notebook's number.
GROUPS = {"0": "Lectures", "1": "Lectures", "2": "Your own", "3": "The paper's tables"}


def page(notebook, name):
    """The notebook as a page."""
    language = notebook.metadata.language_info
    language["pygments_lexer"] = language.get("pygments_lexer") or language["name"]  # which the kernel leaves empty
    formulas = Formulas()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = linked(formulas.take(cell.source))
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = linked(formulas.take(output.data["text/markdown"]))
            if "image/png" in output.get("data", {}) and "text/plain" in output.data:
                output.metadata.setdefault("image/png", {})["alt"] = output.data["text/plain"]
    exporter = HTMLExporter(raw_template=TEMPLATE)
    body, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": name}})
    return formulas.put(body)


def linked(markdown):
    """Links to notebooks lead to their pages; of links to other files of the repository, which are not here, the words stay."""
    markdown = re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.html)", markdown)
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)]*\)", r"\1", markdown)


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


def picture(notebook):
    """The first picture of the outputs as PNG, None where there is none."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            png = output.get("data", {}).get("image/png")
            if png:
                return base64.b64decode(png)
    return None


def card(path, notebook, folder):
    title, line = words(notebook)
    png, image = picture(notebook), ""
    if png:
        (folder / f"{path.stem}.png").write_bytes(png)
        image = f'<img src="{path.stem}.png" alt="" loading="lazy">'
    return (f'<a class="card" href="{path.stem}.html"><div class="picture">{image}</div>'
            f'<div class="words"><h3>{title}</h3><p>{line}</p></div></a>\n')


def main(folder, paths):
    folder.mkdir(parents=True, exist_ok=True)
    for old in [*folder.glob("*.html"), *folder.glob("*.png")]:
        old.unlink()
    cards = {}
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        cards.setdefault(GROUPS.get(path.stem[0], "More"), []).append(card(path, notebook, folder))
        (folder / f"{path.stem}.html").write_text(page(notebook, path.stem), encoding="utf-8")
    groups = "".join(f'<h2>{name}</h2>\n<div class="cards">\n{"".join(some)}</div>\n' for name, some in cards.items())
    (folder / "index.html").write_text(INDEX.format(groups=groups), encoding="utf-8")
    print(f"  {len(paths)} notebooks: {folder}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sorted(Path(p) for p in sys.argv[2:]))
