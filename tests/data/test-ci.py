#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the very shell lines of docs/ci/*.yml on the bank example; TAP output.

What those lines call of the outside is replaced: docker (gives the example's root), apt-get, git (gives the
build directory), make. usage: test-ci.py SOURCE BUILD APP PREFIX
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

SOURCE, BUILD, APP = (os.path.realpath(p) for p in sys.argv[1:4])
PREFIX = sys.argv[4]
STAND_INS = {
    "docker": f"""#!/bin/sh
case $1 in
build) test -f "$4/Dockerfile" ;;
create) echo c0ffee ;;
export) test "$4" = c0ffee && cp "$ROOT_TAR" "$3" ;;
*) exit 9 ;;
esac""",
    "apt-get": "#!/bin/sh\nexit 0",
    "git": f'#!/bin/sh\ntest "$4" = "$REWIND_GIT" && mkdir "$5" && ln -s "{BUILD}" "$5/build" && ln -s "{SOURCE}/guest" "$5/guest"',
    "make": f'#!/bin/sh\nexec {"make"} -n -C "{SOURCE}" "$3"',
}
number = 0
failed = False


def ok(good, name, why=""):
    global number, failed
    number += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    for line in [] if good else str(why).splitlines()[-8:]:
        print(f"# {line}")


def github():
    """The two jobs' steps: (lines, whether after a failure)."""
    jobs = yaml.safe_load(pathlib.Path(SOURCE, "docs/ci/github-actions.yml").read_text())["jobs"]
    for job in ("root", "check"):
        for step in jobs[job]["steps"]:
            if "run" in step:
                yield step["run"], step.get("if") == "failure()"


def gitlab():
    jobs = yaml.safe_load(pathlib.Path(SOURCE, "docs/ci/gitlab-ci.yml").read_text())
    for job in ("root", "check"):
        # A runner joins the lines of before_script and script.
        lines = jobs[job].get("before_script", []) + jobs[job]["script"]
        yield "\n".join(lines), False
    yield "\n".join(jobs["check"]["after_script"]), None


def bash(lines, work, env):
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", lines], cwd=work, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def environment(work, tar):
    stand_ins = work / "bin"
    stand_ins.mkdir()
    for name, text in STAND_INS.items():
        path = stand_ins / name
        path.write_text(text.replace("exec make", f"exec {real_make}") + "\n")
        path.chmod(0o755)
    (work / "Dockerfile").write_text("FROM scratch\n")
    env = dict(os.environ, REWIND_GIT="https://git.example/rewind", ROOT_TAR=str(tar), DESTDIR=str(work / "dest"),
               REWIND_HOME=str(work / "home"), GITHUB_OUTPUT=str(work / "outputs"))
    env["PATH"] = f"{stand_ins}:{work}/dest{PREFIX}/bin:{os.environ['PATH']}"
    return env


def run_steps(steps, work, env):
    """As the services do: after a failing step only those that are meant for it. Returns whether all passed."""
    passed, said = True, ""
    for lines, after_failure in steps:
        if after_failure is not None and after_failure == passed:
            continue
        result = bash(lines, work, env)
        said += result.stdout
        if after_failure in (True, None) and result.returncode:
            ok(False, "the lines after a failure", said)
        passed &= result.returncode == 0
    return passed, said


def rewind(env, *args):
    return subprocess.run(["rewind-app", "--batch", *args], env=env, capture_output=True, text=True)


def check_failing(name, steps, tar, top):
    work = top / f"{name}-failing"
    work.mkdir()
    env = environment(work, tar)
    passed, said = run_steps(steps, work, env)
    ok(not passed, f"{name}: the bank fails", said)
    ok("MONEY IS MISSING" in said and "decides it" in said, "the log tells why", said)
    ok((work / "failing.rwd").exists() and (work / "passing.rwd").exists(), "both runs are exported", said)
    # Somewhere else, with nothing but the files.
    env["REWIND_HOME"] = str(work / "elsewhere")
    env.pop("REWIND_GUEST_DIR", None)
    for twin in ("failing", "passing"):
        result = rewind(env, "import", str(work / f"{twin}.rwd"))
        ok(result.returncode == 0, f"the {twin} run is imported elsewhere", result.stderr)
        run = result.stdout.split()[0] if result.stdout else "?"
        if twin == "failing":
            result = rewind(env, "replay", run)
            ok(result.returncode == 0 and "identical" in result.stdout, "and replays there", result.stderr)


def check_passing(name, steps, tar, top):
    work = top / f"{name}-passing"
    work.mkdir()
    passed, said = run_steps(steps, work, environment(work, tar))
    ok(passed, f"{name}: the fixed bank passes", said)
    ok(not list(work.glob("*.rwd")), "and nothing is exported", said)


def check_outputs(top):
    """What the workflow's steps hand to others is said by those that run lines, and leads to the guest."""
    text = pathlib.Path(SOURCE, "docs/ci/github-actions.yml").read_text()
    said = dict(line.split("=", 1) for line in (top / "github-passing/outputs").read_text().splitlines())
    wanted = set(re.findall(r"steps\.rewind\.outputs\.(\w+)", text))
    ok(wanted == set(said), "github: outputs of the first step", f"{wanted} {said}")
    where = subprocess.run([f"{SOURCE}/guest/linux/build.sh", "--where"], check=True, capture_output=True, text=True).stdout.strip()
    ok(f'{said.get("folder")}/{said.get("key", "").removeprefix("rewind-guest-")}' == where, "name the guest's cache", f"{said} {where}")


def main():
    if not os.path.exists(APP):
        print("1..0 # SKIP rewind-app is not built: its libraries are not there")
        return 0
    with tempfile.TemporaryDirectory(prefix="rewind-ci-") as top:
        top = pathlib.Path(top)
        for kind, options in {"bank": [], "fixed": ["--fixed"]}.items():
            subprocess.run([f"{SOURCE}/docs/examples/pack.sh", "bank", *options, "-o", top / f"{kind}.tar"], check=True)
        for service in (github, gitlab):
            check_failing(service.__name__, list(service()), top / "bank.tar", top)
            check_passing(service.__name__, list(service()), top / "fixed.tar", top)
        check_outputs(top)
    print(f"1..{number}")
    return 1 if failed else 0


real_make = subprocess.run(["sh", "-c", "command -v make"], capture_output=True, text=True).stdout.strip()
sys.exit(main())
