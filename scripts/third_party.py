"""What programs are made of: their software bill of materials, and the licences of everything in them.

    third_party.py sbom BINARY OUT.cdx.json    CycloneDX 1.6, from the build information in a Go program or library
    third_party.py licences BINARY OUT.txt     the licence texts of its modules, to go with it
    third_party.py table                       write docs/third_party.md; with --check: is it what would be written?
"""

import argparse
import hashlib
import importlib.metadata
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODULE = "github.com/sliced-wasserstein/lab"
PROGRAMS = ["./cmd/swlab", "./python/library"]

# What each licence says and none of those after it.
LICENCES = [
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("FTL OR GPL-2.0-or-later", r"FreeType License"),
    ("OFL-1.1", r"SIL OPEN FONT LICENSE Version 1\.1"),
    ("CC-BY-4.0", r"Creative Commons Attribution 4\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD-3-Clause", r"Redistributions? .*Neither the name|Redistributions? .*may not be used to endorse"),
    ("BSD-2-Clause", r"Redistributions? .*in binary form must reproduce"),
]


def go(*arguments):
    return subprocess.run(["go", *arguments], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def modules(binary):
    """Path, version and checksum of the modules in a Go program, and the version of Go."""
    info = json.loads(go("version", "-m", "-json", str(pathlib.Path(binary).resolve())))
    found = [d.get("Replace", d) for d in info.get("Deps", []) if d["Path"] != MODULE]
    return [(d["Path"], d["Version"], d.get("Sum", "")) for d in found], info["GoVersion"]


def texts(path):
    """The licence files of a module, or of Go itself."""
    folder = go("env", "GOROOT") if path == "Go" else go("list", "-m", "-f", "{{.Dir}}", path)
    files = sorted(f for f in pathlib.Path(folder.strip()).iterdir() if re.match(r"(LICEN[CS]E|COPYING|NOTICE|PATENTS)", f.name, re.I) and f.is_file())
    if not files:
        sys.exit(f"third_party: {path}: no licence file in the module")
    return {f.name: f.read_text(errors="replace") for f in files}


def licence(path):
    """The SPDX expression of a module's licences."""
    found = []
    for file, text in texts(path).items():
        if file.upper().startswith(("NOTICE", "PATENTS")):
            continue
        known = [name for name, words in LICENCES if re.search(words, re.sub(r"\s+", " ", text), re.I)]
        if not known:
            sys.exit(f"third_party: {path}: {file} is a licence that this program does not know; read it and add it to LICENCES")
        found.append(known[0])
    return " AND ".join(dict.fromkeys(found))


def sbom(binary, out):
    found, go_version = modules(binary)
    binary = pathlib.Path(binary)
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()

    def component(kind, name, version, purl, spdx, digest=None):
        c = {"bom-ref": purl, "type": kind, "name": name, "version": version, "purl": purl}
        c["licenses"] = [{"expression": spdx}]
        return c | ({"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {})

    parts = [component("library", p, v, f"pkg:golang/{p}@{v}", licence(p)) for p, v, _ in found]
    version = go_version.removeprefix("go").split()[0]
    parts.append(component("library", "std", version, f"pkg:golang/std@{version}", licence("Go")))
    of = json.loads(go("version", "-m", "-json", str(binary.resolve())))["Main"]["Version"]
    main = component("application", binary.name, of, f"pkg:golang/{MODULE}@{of}", "MIT", digest)
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": main},
        "components": parts,
        "dependencies": [{"ref": main["bom-ref"], "dependsOn": [p["bom-ref"] for p in parts]}],
    }
    pathlib.Path(out).write_text(json.dumps(bom, indent=1) + "\n")


def licences(binary, out):
    found, go_version = modules(binary)
    pieces = []
    for path, version in [("Go", go_version)] + [(p, v) for p, v, _ in found]:
        for name, text in texts(path).items():
            pieces.append(f"{'=' * 100}\n{path} {version}: {name}\n{'=' * 100}\n\n{text.strip()}\n")
    pathlib.Path(out).write_text("\n".join(pieces))


def go_rows():
    """Modules of the programs, with and without XLA."""
    found = set()
    for tags in ("", "noxla"):
        listed = go("list", "-deps", "-tags", tags, "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", *PROGRAMS)
        found |= {tuple(line.split()) for line in listed.splitlines() if line and not line.startswith(MODULE)}
    return [f"| {p} | {v} | {licence(p)} |" for p, v in sorted(found)]


def python_rows():
    """The packages of the lock files: name, version, and the licence as they declare it, if installed here."""
    rows = {}
    for file in ("python/requirements.txt", "python/requirements-pjrt.txt"):
        for name, version in re.findall(r"(?m)^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / file).read_text()):
            try:
                m = importlib.metadata.metadata(name)
            except importlib.metadata.PackageNotFoundError:
                rows[name] = None
                continue
            known = [c.split("::")[-1].strip() for c in m.get_all("Classifier", []) if c.startswith("License ::")]
            text = m.get("License-Expression") or ", ".join(known) or (m.get("License") or "not declared").strip().splitlines()[0]
            rows[name] = f"| {name} | {version} | {text} |"
    return rows


def table(check):
    file = ROOT / "docs" / "third_party.md"
    stored = file.read_text() if file.exists() else ""
    lines = ["# Third-party software", "", "`make licences` writes this page; `make check` compares it.", "", "## Go modules", "",
             "Modules compiled into `swlab` and into the library of the Python package, with or without XLA. Their texts are in every release.",
             "", "| module | version | licence |", "|---|---|---|", *go_rows(), "",
             "## Python packages", "", "What `make setup` installs for notebooks and tests; nothing of it is in a program or wheel.",
             "", "| package | version | licence, as declared |", "|---|---|---|"]  # fmt: skip
    for name, row in python_rows().items():
        # A package for another system or Python: its row stays as it was written there.
        old = re.search(rf"(?m)^\| {re.escape(name)} \|.*$", stored)
        lines += [row or (old.group() if old else f"| {name} | | not installed on the machine that wrote this |")]
    text = "\n".join(lines) + "\n"
    if not check:
        file.write_text(text)
    elif text != stored:
        changed = sorted(set(text.splitlines()) ^ set(stored.splitlines()))
        sys.exit("FAILED: docs/third_party.md is not what `make licences` writes:\n" + "\n".join(changed[:20]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("sbom", "licences"):
        c = commands.add_parser(name)
        c.add_argument("binary")
        c.add_argument("out")
    commands.add_parser("table").add_argument("--check", action="store_true")
    a = parser.parse_args()
    if a.command == "table":
        table(a.check)
    else:
        {"sbom": sbom, "licences": licences}[a.command](a.binary, a.out)


if __name__ == "__main__":
    main()
