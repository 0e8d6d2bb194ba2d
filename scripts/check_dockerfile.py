"""Executes the lines of a Dockerfile in order where there is no container engine: check_dockerfile.py DOCKERFILE ROOT COMMAND...

ROOT is a clean Debian root (debootstrap --variant=minbase bookworm ROOT), in which chroot runs the RUN lines as their users, and
then COMMAND as the last one. FROM golang:... is emulated by this machine's own Go in /usr/local/go. Needs root, and lends the
clean root the certificates and the name server of this machine.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

BUNDLE = "etc/ssl/lent.crt"


def main():
    dockerfile, root, command = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"} | dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT"), f"/{BUNDLE}")
    user, folder = "root", "/"

    def run(line, as_user=None):
        print(f"+ [{as_user or user} {folder}] {line}", flush=True)
        shell = f"cd {folder} && {line}"
        subprocess.run(["chroot", f"--userspec={as_user or user}", root, "/bin/sh", "-c", shell], env=env, check=True, stdin=subprocess.DEVNULL)

    for kind, target in (("proc", "proc"), ("devtmpfs", "dev")):
        if not os.path.ismount(root / target):
            subprocess.run(["mount", "-t", kind, kind, root / target], check=True)
    try:
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        (root / "etc/ssl").mkdir(exist_ok=True)
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / BUNDLE)
        for line in re.sub(r"\\\n", "", dockerfile.read_text()).splitlines():
            word, _, rest = line.strip().partition(" ")
            rest = rest.strip()
            if word in ("", "EXPOSE") or word.startswith("#"):
                continue
            print(f"= {line}", flush=True)
            if word == "FROM" and rest.startswith("golang:"):
                goroot = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
                shutil.copytree(goroot, root / "usr/local/go", symlinks=True, dirs_exist_ok=True)
                env["PATH"] = f"/go/bin:/usr/local/go/bin:{env['PATH']}"
            elif word == "RUN":
                run(rest)
            elif word == "USER":
                user = rest
            elif word == "WORKDIR":
                folder = rest
                (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
                run(f"chown {user} {rest}", as_user="root")
            elif word == "ENV":
                for name, value in re.findall(r"(\w+)=(\S+)", rest):
                    env[name] = re.sub(r"\$(\w+)", lambda m: env[m[1]], value)
            elif word == "COPY" and rest.startswith("--chown=") and rest.endswith(" . ."):
                files = subprocess.run(["git", "ls-files", "-z"], cwd=dockerfile.parent, capture_output=True, check=True).stdout
                pack = subprocess.Popen(["tar", "--null", "-T", "-", "-cf", "-"], cwd=dockerfile.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                unpack = subprocess.Popen(["tar", "-xf", "-", "-C", root / folder.lstrip("/")], stdin=pack.stdout)
                pack.stdin.write(files)
                pack.stdin.close()
                if pack.wait() or unpack.wait():
                    sys.exit("FAILED: COPY")
                run(f"chown -R {user} {folder}", as_user="root")
            elif word == "CMD":
                print(f"= started as {json.loads(rest)}", flush=True)
            else:
                sys.exit(f"FAILED: a line that this program cannot execute: {line}")
        for line in command:
            run(line)
    finally:
        for target in ("dev", "proc"):
            subprocess.run(["umount", "-l", root / target], check=False)


if __name__ == "__main__":
    main()
