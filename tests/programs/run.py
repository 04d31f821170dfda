#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of a Debian, natively and in Rewind: the same output, and a replay that is identical.

usage: run.py --rewind REWIND --root DIR [--table FILE] [--results FILE] [JOB...]

Each job is a shell script of jobs/. It runs natively in the same root, in namespaces of its own
above a layer that is thrown away, and in Rewind from the image of the same directory. Prints TAP; --table writes
the rows of docs/programs.md. --results keeps what was measured, so that a series can be done in parts. Needs root.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
LEAST = 0.05  # seconds of a processor, natively: of less no ratio is given
PROLOGUE = "mkdir /tmp/job && cd /tmp/job || exit 99\n"

# What a native run finds, as in Rewind: loopback, a terminal's devices, empty /tmp and /run. Bash is the first process
# of the namespace, who gets the orphans too: what its children took before and after the script goes to descriptor 9.
NATIVE = r"""
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/up" "$1/work" "$1/root"
mount -t overlay overlay -o lowerdir="$2",upperdir="$1/up",workdir="$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 dev dev
for n in null zero full random urandom tty; do : >dev/$n; mount --bind /dev/$n dev/$n; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx; ln -s /proc/self/fd dev/fd; ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=1777 tmp tmp
mount -t tmpfs run run
ip link set lo up
hostname rewind
mkdir .before
pivot_root . .before # and no chroot, in which nobody may make namespaces of users
cd /
umount -l .before
rmdir .before
set +e
times >&9
sh -c "$3" 9>&-
status=$?
kill -KILL -1 2>/dev/null && sleep 0.1
times >&9
exit $status
"""


def read_job(name):
    with open(os.path.join(HERE, "jobs", name + ".sh"), encoding="utf-8") as file:
        text = file.read()
    options = {"cores": 1, "mem": 1024, "timeout": 600}
    found = re.search(r"^# options: (.*)$", text, re.M)
    for word in found.group(1).split() if found else []:
        key, value = word.split("=")
        options[key] = int(value)
    return PROLOGUE + text, options


class Measured:
    """A command's end, output, and processor time of all its processes."""

    def __init__(self, argv, stdin=b"", **options):
        before = os.times()
        done = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
        after = os.times()
        self.cpu = after.children_user + after.children_system - before.children_user - before.children_system
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr


def children_seconds(text):
    """What `times` of a shell said twice, of the shell and of its children: the children's seconds in between."""
    said = [sum(int(m) * 60 + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", line)) for line in text.splitlines()]
    return said[3] - said[1] if len(said) == 4 else 0


def native(root, script, scratch, stdin=b""):
    with tempfile.TemporaryDirectory(dir=scratch) as top, tempfile.TemporaryFile() as said:
        command = f"exec 9>&{said.fileno()} {said.fileno()}>&-\n" + NATIVE
        run = Measured(["timeout", "600", "unshare", "--kill-child", "--mount", "--pid", "--fork", "--net", "--uts", "--ipc",
                        "bash", "-c", command, "native", top, root, script], stdin, env=ENVIRONMENT, pass_fds=[said.fileno()])
        said.seek(0)
        run.cpu = children_seconds(said.read().decode())
    return run


def make_image(rewind, root):
    """The image that Rewind makes of the directory, in its store: looking at 100,000 files is no part of a job."""
    done = subprocess.run([rewind, "run", "--json", "--root", root, "--", "true"], stdout=subprocess.PIPE, check=True)
    manifest = json.loads(done.stdout)
    image = glob.glob(os.path.join(os.environ["REWIND_HOME"], "images", manifest["inputs"]["image"] + ".erofs"))[0]
    subprocess.run([rewind, "run", "-q", "--root", image, "--", "true"], check=True)  # hashes it
    return image


def in_rewind(rewind, image, script, options):
    argv = [rewind, "run", "--root", image, "--mem", str(options["mem"]), "--cores", str(options["cores"]),
            "--timeout", str(options["timeout"]), "--", "sh", "-c", script]
    run = Measured(argv)
    run.manifest = {}
    found = re.search(rb"^rewind: run ([0-9a-f]{16}) ", run.err, re.M)
    if found:
        shown = subprocess.run([rewind, "show", "--json", found.group(1)], stdout=subprocess.PIPE, check=True)
        run.manifest = json.loads(shown.stdout)
    return run


def difference(expected, got):
    a, b = expected.decode("utf-8", "replace").splitlines(), got.decode("utf-8", "replace").splitlines()
    for i in range(max(len(a), len(b))):
        x, y = (a[i] if i < len(a) else "(end)"), (b[i] if i < len(b) else "(end)")
        if x != y:
            return f"line {i + 1}: native {x[:100]!r}, rewind {y[:100]!r}"
    return ""


def judge(name, args):
    script, options = read_job(name)
    plain = native(args.root, script, args.scratch)
    run = in_rewind(args.rewind, args.image, script, options)
    end = run.manifest.get("end", {})
    result = {"name": name, "status": plain.status, "native_cpu": plain.cpu, "cpu": run.cpu,
              "instructions": end.get("instructions", 0), "steps": end.get("steps", 0),
              "ending": end.get("ending", run.err.decode("utf-8", "replace")[-200:])}
    result["difference"] = difference(plain.out, run.out)
    if not plain.out:
        result["difference"] = "the native run said nothing: " + plain.err.decode("utf-8", "replace")[-200:]
    elif not result["difference"] and result["ending"] != f"exited:{plain.status}":
        result["difference"] = f"native exited:{plain.status}, rewind {result['ending']}"
    replay = subprocess.run([args.rewind, "replay", run.manifest.get("id", "-")], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    result["replay"] = "" if replay.returncode == 0 else replay.stdout.decode("utf-8", "replace").strip()[-200:]
    if not result["difference"] and not result["replay"]:
        subprocess.run([args.rewind, "remove", run.manifest["id"]], stdout=subprocess.DEVNULL, check=True)
    return result


def row(result):
    ratio = f"{result['cpu'] / result['native_cpu']:.1f}" if result["native_cpu"] >= LEAST else "–"
    why = result["difference"] or result["replay"]
    return (f"| {result['name']} | {'no' if result['difference'] else 'yes'} | {'no' if result['replay'] else 'yes'} "
            f"| {result['instructions'] / 1e6:,.0f} | {result['steps']:,} | {ratio} | {why.replace('|', '/')} |")


def load(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(path, results):
    if path:
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
        os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rewind", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--scratch", help="where the throw-away layers are mounted")
    parser.add_argument("--results")
    parser.add_argument("--table")
    parser.add_argument("jobs", nargs="*")
    args = parser.parse_args()
    jobs = args.jobs or sorted(name[:-3] for name in os.listdir(os.path.join(HERE, "jobs")))
    os.environ.setdefault("REWIND_HOME", os.path.join(os.path.dirname(os.path.abspath(args.rewind)), "programs-store"))
    args.image = make_image(args.rewind, os.path.abspath(args.root))
    results = load(args.results)
    failures = 0
    print(f"1..{len(jobs)}", flush=True)
    for number, name in enumerate(jobs, 1):
        result = results[name] = judge(name, args)
        store(args.results, results)
        bad = result["difference"] or result["replay"]
        failures += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {name}" + (f" # {bad}" if bad else ""), flush=True)
    if args.table:
        with open(args.table, "w", encoding="utf-8") as file:
            file.writelines(row(results[name]) + "\n" for name in sorted(results))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
