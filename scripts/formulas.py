"""Formulas of Markdown as MathML, which browsers show without script, fonts or network."""

import html
import re

from latex2mathml.converter import convert

# Code comes first, so that a dollar sign in it is not the beginning of a formula.
PARTS = re.compile(r"(?P<code>```.*?```|`[^`\n]*`)|\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)", re.DOTALL)


class Formulas:
    """Takes formulas out of Markdown before it is converted, and puts MathML into the page that came of it."""

    def __init__(self):
        self.found = []

    def take(self, markdown):
        """The text with a word in the place of each formula."""

        def word(match):
            if match["code"] is not None:
                return match["code"]
            self.found.append(mathml(match["display"] or match["inline"], display=match["display"] is not None))
            return f"formula{len(self.found) - 1}x"

        return PARTS.sub(word, markdown)

    def put(self, page):
        """The page with formulas in the place of the words; anchors, which are made of headings, keep a word."""
        page = re.sub(r"<[^<>]*>", lambda tag: re.sub(r"formula(\d+)x", r"formula-\1", tag[0]), page)
        return re.sub(r"formula(\d+)x", lambda match: self.found[int(match[1])], page)


def mathml(tex, display):
    """The formula as MathML. A command that is not known is an error, and so is one that browsers do not draw: a box, or a bold digit.

    Browsers know no letters by mathvariant and no padding by what is added, which is how latex2mathml writes \\mathbb R and \\xrightarrow{f}.
    """
    tex = re.sub(r"(\\math(?:bb|cal|bf))\s+(\w)", r"\1{\2}", tex.strip())
    tex = re.sub(r"\\(arg|argmin|argmax)(?![a-zA-Z])", r"\\operatorname{\1}", tex)
    tex = re.sub(r"\\xrightarrow\{((?:[^{}]|\{[^{}]*\})*)\}", r"\\overset{\1}{\\longrightarrow}", tex)
    out = convert(tex, display="block" if display else "inline")
    unknown = re.findall(r"\\[A-Za-z]+|\[\d+pt\]", html.unescape(re.sub(r"<[^>]*>", " ", out)))
    if unknown:
        raise ValueError(f"formula: {unknown[0]} is not known to latex2mathml in {tex!r}")
    undrawn = re.findall(r'<menclose|mathvariant="(?!normal|italic)[a-z-]+"', out)
    if undrawn:
        raise ValueError(f"formula: browsers do not draw {undrawn[0]} in {tex!r}")
    return out
