#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Images of layers: OCI layouts and what docker save writes, good and hostile, all made here. TAP output.
usage: test-layers.py SHOW-IMAGE"""
import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

SHOW = sys.argv[1]
TOP = tempfile.mkdtemp(prefix="rw-layers-")
COUNT = [0]
FAILED = []

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"


def check(good, name, what=""):
    COUNT[0] += 1
    print(f"{'ok' if good else 'not ok'} {COUNT[0]} - {name}")
    if not good:
        FAILED.append(name)
        print(f"# {what}")


def sha(data):
    return hashlib.sha256(data).hexdigest()


def tar(*members, prefix=""):
    """Members: (name, text), (name/, None), (name, '-> target') for a symbolic and '=> target' for a hard link."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in members:
            info = tarfile.TarInfo(prefix + name.rstrip("/"))
            info.mtime = 1700000000
            data = b""
            if name.endswith("/"):
                info.type, info.mode = tarfile.DIRTYPE, 0o755
            elif isinstance(text, str) and text.startswith("-> "):
                info.type, info.linkname = tarfile.SYMTYPE, text[3:]
            elif isinstance(text, str) and text.startswith("=> "):
                info.type, info.linkname = tarfile.LNKTYPE, text[3:]
            else:
                data = text if isinstance(text, bytes) else text.encode()
                info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout


class Image:
    """A layout in the making: blobs by hash, and an index."""

    def __init__(self, *layers, packed=None, **config):
        self.blobs = {}
        self.packed = packed or [None] * len(layers)
        self.diff_ids = ["sha256:" + sha(layer) for layer in layers]
        self.config = {"architecture": "amd64", "os": "linux", "config": config,
                       "rootfs": {"type": "layers", "diff_ids": self.diff_ids}}
        self.layers = [self.add(pack(layer) if pack else layer, LAYER)
                       for layer, pack in zip(layers, self.packed)]

    def add(self, data, media_type, **more):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
        self.blobs[sha(data)] = data
        return {"mediaType": media_type, "digest": "sha256:" + sha(data), "size": len(data), **more}

    def manifest(self, **platform):
        body = {"schemaVersion": 2, "mediaType": MANIFEST, "config": self.add(self.config, CONFIG),
                "layers": self.layers}
        return self.add(body, MANIFEST, **({"platform": platform} if platform else {}))

    def index(self, *manifests):
        return {"schemaVersion": 2, "mediaType": INDEX, "manifests": list(manifests)}

    def files(self, index=None):
        files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}',
                 "index.json": json.dumps(index or self.index(self.manifest())).encode()}
        files.update({"blobs/sha256/" + name: data for name, data in self.blobs.items()})
        return files


def write(files, compress=None, name="image.tar"):
    path = f"{TOP}/{name}"
    data = tar(*files.items())
    with open(path, "wb") as f:
        f.write(compress(data) if compress else data)
    return path


def write_dir(files, name="layout"):
    path = f"{TOP}/{name}"
    shutil.rmtree(path, ignore_errors=True)
    for file, data in files.items():
        os.makedirs(os.path.dirname(f"{path}/{file}"), exist_ok=True)
        with open(f"{path}/{file}", "wb") as f:
            f.write(data)
    return path


def docker_save(image, aliases=False):
    """The older form: a folder a layer, and a list of images."""
    config = json.dumps(image.config).encode()
    files, paths = {f"{sha(config)}.json": config}, []
    for number, layer in enumerate(image.layers):
        paths.append(f"{number:064x}/layer.tar")
        data = image.blobs[layer["digest"][7:]]
        same = [p for p in paths[:-1] if files[p] == data]
        files[paths[-1]] = f"-> ../{same[0]}" if aliases and same else data
    files["manifest.json"] = json.dumps(
        [{"Config": f"{sha(config)}.json", "RepoTags": ["a:latest"], "Layers": paths}]).encode()
    return files


def show(root, *paths):
    shutil.rmtree(f"{TOP}/images", ignore_errors=True)
    return again(root, *paths)


def again(root, *paths):
    run = subprocess.run([SHOW, root, f"{TOP}/images", *paths], capture_output=True, text=True, timeout=120)
    if run.returncode not in (0, 1):
        return {"crash": run.returncode, "error": run.stderr}
    return json.loads(run.stdout) if run.returncode == 0 else {"error": run.stderr.rstrip("\n")}


def fails(name, root, *words):
    got = show(root)
    error = got.get("error", "")
    left = os.listdir(f"{TOP}/images") if os.path.isdir(f"{TOP}/images") else []
    check(not got.get("crash") and "\n" not in error and all(w in error for w in words) and error.startswith(root)
          and not left, f"{name}: {error[len(root):90 + len(root)]}", f"{got} left {left}")


# ---- What is read ----

BASE = tar(("etc/", None), ("etc/passwd", "root:x:0:0::/root:/bin/sh\napp:x:1000:1001:App:/home/app:/bin/sh\n"),
           ("etc/group", "root:x:0:\nstaff:x:50:app\n"), ("a/", None), ("a/one", "1"), ("a/two", "2"),
           ("a/deep/", None), ("a/deep/x", "x"), ("b/", None), ("b/file", "b"), ("link", "-> a"), ("c", "c"))
TOP_LAYER = tar(("a/.wh.one", ""), ("a/three", "3"), ("b/.wh..wh..opq", ""), ("b/new", "new"),
                ("hard", "=> c"), (".wh..wh.plnk/", None), ("link/four", "4"), ("a/deep/y", "y"))
PATHS = ["/a/one", "/a/two", "/a/three", "/b/file", "/b/new", "/hard", "/c", "/a/four", "/a/deep/x", "/a/deep/y",
         "/.wh..wh.plnk", "/a/.wh.one", "/work/dir"]
JOB = {"Env": ["PATH=/bin", "A=b=c"], "User": "app", "WorkingDir": "/work/dir", "Entrypoint": ["/e"], "Cmd": ["c"]}


def good(name, got):
    paths = got.get("paths", {})
    text = {p: v.get("text") for p, v in paths.items()}
    want = {"/a/one": None, "/a/two": "2", "/a/three": "3", "/b/file": None, "/b/new": "new", "/hard": "c", "/c": "c",
            "/a/four": "4", "/a/deep/x": "x", "/a/deep/y": "y", "/.wh..wh.plnk": None, "/a/.wh.one": None, "/work/dir": ""}
    check(text == want and paths["/hard"]["nid"] == paths["/c"]["nid"] and paths["/c"]["nlink"] == 2, name, got)


def main():
    image = Image(BASE, TOP_LAYER, **JOB)
    archive = show(write(image.files()), *PATHS)
    good("an OCI archive", archive)
    check(archive.get("from") == "layers" and archive["env"] == JOB["Env"] and archive["cwd"] == "/work/dir",
          "its environment and directory", archive)
    check((archive["uid"], archive["gid"], archive["home"]) == (1000, 1001, "/home/app"), "its user", archive)
    second = again(f"{TOP}/image.tar", *PATHS)
    check(second == archive, "the same from the cache", second)
    layout = write_dir(image.files())
    got = show(layout, *PATHS)
    check(got == archive, "the same from a layout directory", got)
    os.unlink(f"{layout}/blobs/sha256/{image.layers[0]['digest'][7:]}")
    check(again(layout, *PATHS) == archive, "and again, from the cache")
    for kind, pack in {"gzip": gzip.compress, "zstd": zstd, "xz": lzma.compress, "bzip2": bz2.compress}.items():
        got = show(write(Image(BASE, TOP_LAYER, packed=[pack, None], **JOB).files()), *PATHS)
        check(got == archive, f"layers by {kind}", got)
    got = show(write(image.files(), compress=gzip.compress), *PATHS)
    check(got == archive, "a compressed archive", got)
    parts = gzip.compress(BASE[:3000]) + gzip.compress(BASE[3000:])
    got = show(write(Image(BASE, TOP_LAYER, packed=[lambda _: parts, None], **JOB).files()), *PATHS)
    check(got == archive, "a layer in several gzip members", got)
    got = show(write(docker_save(image)), *PATHS)
    check(got == archive, "docker save, the older form", got)
    both = image.files()
    both["manifest.json"] = docker_save(image)["manifest.json"]
    got = show(write(both), *PATHS)
    check(got == archive, "docker save, the newer form", got)
    newer = docker_save(image)
    config = json.dumps(image.config).encode()
    listing = json.loads(newer.pop("manifest.json"))
    listing[0].update(Config=f"blobs/sha256/{sha(config)}",
                      Layers=["blobs/sha256/" + layer["digest"][7:] for layer in image.layers])
    moved = {f"blobs/sha256/{sha(config)}": config, **{"blobs/sha256/" + k: v for k, v in image.blobs.items()},
             "manifest.json": json.dumps(listing).encode()}
    got = show(write(moved), *PATHS)
    check(got == archive, "a list of images that points to blobs", got)
    twice = Image(BASE, BASE)
    got = show(write(docker_save(twice, aliases=True)), "/a/one")
    check(got["paths"]["/a/one"].get("text") == "1", "a layer twice, as a symbolic link", got)
    plain = tar(("manifest.json", "[1]"), ("index.json", "{}"), ("bin/", None))
    with open(f"{TOP}/plain.tar", "wb") as f:
        f.write(plain)
    got = show(f"{TOP}/plain.tar", "/bin")
    check(got.get("from") == "tarball", "a root that has files of those names is a root", got)
    whiteouts()
    users()
    platforms()
    hashes(image)
    hostile(image)
    remembered()


def whiteouts():
    def texts(layers, *paths):
        got = show(write(Image(*layers).files()), *paths)
        return [v.get("text") for v in got["paths"].values()] if "paths" in got else got

    base = tar(("d/", None), ("d/x", "x"), ("d/y", "y"), ("f", "f"), ("g", "=> f"))
    cases = {
        "a whiteout after what its own layer brought": ([base, tar(("d/", None), ("d/z", "z"), (".wh.d", ""))],
                                                        {"/d/x": None, "/d/z": "z"}),
        "a whiteout before it": ([base, tar((".wh.d", ""), ("d/", None), ("d/z", "z"))], {"/d/x": None, "/d/z": "z"}),
        "below a directory the layer does not list": ([base, tar(("d/z", "z"), (".wh.d", ""))],
                                                      {"/d/x": None, "/d/z": "z"}),
        "opaque at the end": ([base, tar(("d/x", "new"), ("d/.wh..wh..opq", ""))], {"/d/x": "new", "/d/y": None}),
        "opaque of the root": ([base, tar(("h", "h"), (".wh..wh..opq", ""))], {"/d": None, "/f": None, "/h": "h"}),
        "one name of two": ([base, tar((".wh.f", ""))], {"/f": None, "/g": "f"}),
        "and a layer later again": ([base, tar((".wh.d", "")), tar(("d/", None), ("d/y", "2")), tar(("d/.wh.y", ""))],
                                    {"/d": "", "/d/x": None, "/d/y": None}),
        "of nothing": ([base, tar((".wh.nothing", ""), ("no/.wh.thing", ""))], {"/f": "f"}),
        "a file for a directory": ([base, tar(("d", "file"))], {"/d": "file"}),
        "a directory for a link": ([tar(("d/", None), ("l", "-> d")), tar(("l/", None), ("l/x", "x"))],
                                   {"/l/x": "x", "/d/x": None}),
        "a hard link to a name of its own layer, later": ([base, tar(("h", "=> n"), ("n", "n"))], {"/h": "n"}),
        "in the only layer": ([tar(("x", "x"), (".wh.x", ""))], {"/x": "x"}),
    }
    for name, (layers, want) in cases.items():
        got = texts(layers, *want)
        check(got == list(want.values()), f"whiteouts: {name}", got)
    got = show(write(Image(base, tar((".wh..", ""))).files()))
    check("whiteout of nothing" in got.get("error", ""), "whiteouts: of the parent are refused", got)


def users():
    cases = {"app": (1000, 1001), "app:staff": (1000, 50), "app:7": (1000, 7), "1000": (1000, 1001), "1234": (1234, 0),
             "1234:staff": (1234, 50), "0": (0, 0), "root": (0, 0)}
    for text, want in cases.items():
        got = show(write(Image(BASE, User=text).files()))
        check((got.get("uid"), got.get("gid")) == want, f"user {text}", got)
    for text in ("nobody", "app:wheel", "-1", "4294967295"):
        got = show(write(Image(BASE, User=text).files()))
        check("not in the root's /etc/" in str(got.get("user_error")), f"user {text} is refused", got)
    got = show(write(Image(BASE, WorkingDir="rel/./x//").files()), "/rel/x")
    check(got.get("cwd") == "/rel/x" and "mode" in got["paths"]["/rel/x"], "a relative working directory", got)


def platforms():
    def pick(*platform_list, nested=False):
        whole, entries = Image(tar(("x", "first"))), []
        for number, platform in enumerate(platform_list):
            one = Image(tar(("x", f"{number}")))
            if platform and platform.get("architecture") not in (None, "amd64"):
                one.config["architecture"] = platform["architecture"]
            entries.append(one.manifest(**(platform or {})))
            whole.blobs.update(one.blobs)
        index = whole.index(*entries)
        if nested:
            index = whole.index(whole.add(index, INDEX))
        return write(whole.files(index))

    amd, arm = {"os": "linux", "architecture": "amd64"}, {"os": "linux", "architecture": "arm64", "variant": "v8"}
    odd = {"os": "unknown", "architecture": "unknown"}
    for name, args, nested, want in (("of two", (arm, amd), False, "1"), ("nested", (arm, odd, amd), True, "2"),
                                     ("with a variant", ({**amd, "variant": "v3"}, {**amd, "variant": "v2"}), True, "1"),
                                     ("unnamed", (None,), False, "0")):
        got = show(pick(*args, nested=nested), "/x")
        check("paths" in got and got["paths"]["/x"]["text"] == want, f"platform: {name}", got)
    fails("platform: none", pick(arm, odd, nested=True), "no image for linux/amd64", "linux/arm64/v8")
    fails("platform: two without one", pick(None, None), "several images")
    one = Image(tar(("x", "")))
    one.config["architecture"] = "arm64"
    fails("platform: of the config", write(one.files()), "for linux/arm64")
    fails("several images", pick(amd, amd), "several images")


def hashes(image):
    for what, at in (("manifest", 0), ("config", 1), ("layer", 2)):
        files = image.files()
        body = json.loads(files["index.json"])["manifests"][0]["digest"][7:]
        manifest = json.loads(files["blobs/sha256/" + body])
        name = "blobs/sha256/" + [body, manifest["config"]["digest"][7:], manifest["layers"][1]["digest"][7:]][at]
        data = bytearray(files[name])
        # A byte of a name or a value: it still parses.
        place = data.rindex(b"3") if at == 2 else data.rindex(b"sha256:") + 10
        data[place] = ord("4") if data[place] != ord("4") else ord("5")
        files[name] = bytes(data)
        fails(f"damaged {what}", write(files), "damaged")
        del files[name]
        fails(f"missing {what}", write(files), "not in the archive")
        fails(f"missing {what} of a directory", write_dir(files), "not there")
    wrong = Image(BASE, packed=[gzip.compress])
    wrong.config["rootfs"]["diff_ids"] = ["sha256:" + "0" * 64]
    fails("what a layer unpacks to", write(wrong.files()), "layer 1 of 1", "unpacks to")
    wrong = Image(BASE, packed=[lambda data: gzip.compress(data) + b"more"])
    got = show(write(wrong.files()))
    check("sha256" in got or "damaged" in got.get("error", ""), "bytes after a layer", got)
    files = docker_save(image)
    name = next(n for n in files if n.endswith("layer.tar"))
    files[name] = files[name].replace(b"root:x:0", b"root::00")
    fails("docker save: damaged layer", write(files), "layer 1 of 2", "damaged")
    files = docker_save(image)
    name = next(n for n in files if n.endswith(".json") and n != "manifest.json")
    files[name] += b" "
    fails("docker save: damaged config", write(files), "damaged")


def with_manifest(change, *layers):
    image = Image(*(layers or (BASE,)))
    descriptor = image.manifest()
    body = json.loads(image.blobs[descriptor["digest"][7:]])
    change(body, image)
    return write(image.files(image.index(image.add(body, MANIFEST))))


def hostile(image):
    escape = tar(("../../out", "x"))
    fails("a member that leaves the root", write(Image(BASE, escape).files()), "layer 2 of 2", "\"..\"")
    fails("a link that leaves it", write(Image(tar(("l", "-> ../../../../tmp")), tar(("l/x", "x"))).files()), "layer 2")
    fails("a hard link that leaves it", write(Image(tar(("l", "=> ../../etc/passwd"))).files()), "\"..\"")
    fails("a whiteout that leaves it", write(Image(BASE, tar(("../.wh.x", ""))).files()), "\"..\"")
    for digest in ("sha256:../../../../etc/passwd", "sha256:" + "A" * 64, "sha256:", "", 7, None, "sha512:" + "0" * 128):
        def change(body, _, bad=digest):
            body["layers"][0]["digest"] = bad
        fails(f"digest {digest}", with_manifest(change), "digest")
    fails("layers that are no list", with_manifest(lambda b, _: b.update(layers={})), "kind that is not known")
    fails("schema 1", with_manifest(lambda b, _: (b.pop("layers"), b.pop("config"))), "kind that is not known")
    fails("too many layers", with_manifest(lambda b, _: b.update(layers=b["layers"] * 5000)), "more than")
    fails("a layer too few", with_manifest(lambda b, _: b.update(layers=[])), "does not fit")
    fails("encrypted", with_manifest(lambda b, _: b["layers"][0].update(mediaType=LAYER + "+encrypted")), "encrypted")
    for name, text in {"not JSON": b"{", "deep": b"[" * 3000000, "NUL": b"{\0}", "no manifests": b"{}",
                       "a number": b"7", "empty": b""}.items():
        files = image.files()
        files["index.json"] = text
        fails(f"index.json: {name}", write(files), "index.json is damaged")
    files = image.files()
    files["index.json"] = b" " * (9 << 20)
    got = show(write(files))
    check(got.get("from") == "tarball" or "larger than" in got.get("error", ""), "index.json: large", got)
    nested, index = Image(BASE), None
    for _ in range(7):
        index = nested.index(nested.add(index, INDEX) if index else nested.manifest())
    fails("indexes in indexes", write(nested.files(index)), "nested too deep")
    bomb = tar(("x", b"\0" * (65 << 20)))
    fails("a layer that unpacks to much", write(Image(bomb, packed=[gzip.compress]).files()), "more than 64 MiB")
    half = tar(("x", b"\0" * (40 << 20)))
    fails("two that do together", write(Image(half, half, packed=[gzip.compress] * 2).files()), "layer 2", "more than")
    skipped = tar((".wh.x", b"\0" * (70 << 20)))
    fails("what is skipped counts", write(Image(skipped, packed=[gzip.compress]).files()), "more than 64 MiB")
    names = tar(*[(f"f{i}", "") for i in range(6000)])
    fails("many names", write(Image(names, names, packed=[gzip.compress] * 2).files()), "more than 10000 entries")
    fails("a layer that is no tarball", write(Image(b"hello" * 1000).files()), "layer 1")
    fails("an empty layer", write(Image(b"").files()), "layer 1")
    fails("a layer cut short", write(Image(BASE[:1500]).files()), "layer 1")
    fails("variables", write(Image(BASE, Env=["A"]).files()), "not KEY=VALUE")
    fails("a working directory below a file", write(Image(BASE, WorkingDir="/c/x").files()), "working directory")
    files = docker_save(image)
    files["manifest.json"] = json.dumps([{"Config": "../../etc/passwd", "Layers": []}]).encode()
    fails("docker save: config elsewhere", write(files), "not in the archive")
    files["manifest.json"] = json.dumps([{"Config": "a", "Layers": []}, {"Config": "b", "Layers": []}]).encode()
    fails("docker save: several images", write(files), "several images")
    circle = docker_save(Image(BASE))
    path = next(n for n in circle if n.endswith("layer.tar"))
    circle[path] = f"-> ../{path}"
    fails("docker save: a layer that links to itself", write(circle), "not in the archive")
    opaque = tar(*[(f"d/f{i}", "") for i in range(3000)], *[("d/.wh..wh..opq", "")] * 20000)
    got = show(write(Image(opaque, packed=[gzip.compress]).files()), "/d/f0")
    check("paths" in got, "many whiteouts of one folder take no time", got)
    layout = write_dir(image.files())
    blob = f"{layout}/blobs/sha256/{image.layers[0]['digest'][7:]}"
    os.unlink(blob)
    os.mkfifo(blob)
    fails("a fifo in a blob's place", layout, "not a file")


def remembered():
    """A file's hash is remembered by its times, but only when they are old."""
    path = f"{TOP}/fresh.tar"
    shutil.copyfile(f"{TOP}/plain.tar", path)

    def entries():
        return [n for n in os.listdir(f"{TOP}/images") if n.startswith("stat-")]

    show(path)
    os.utime(path, ns=(1, 1600000000 * 10**9))
    check(again(path)["from"] == "tarball" and not entries(), "a file whose status just changed is not remembered")
    subprocess.run(["sleep", "2.2"], check=True)
    first = again(path, "/bin")
    check(len(entries()) == 1, "one that has settled is")
    started = os.stat(path)
    with open(f"{TOP}/images/{entries()[0]}", encoding="ascii") as f:
        known = json.load(f)
    check(known["size"] == started.st_size and known["mtime"] == started.st_mtime_ns
          and known["ctime"] == started.st_ctime_ns, "by its size and times", known)
    with open(path, "r+b") as f:
        f.write(tar(("nib/", None))[:512])
    os.utime(path, ns=(1, started.st_mtime_ns))
    got = again(path, "/nib", "/bin")
    check(got.get("sha256") != first["sha256"], "other bytes with the old size and time are seen", got)


try:
    main()
finally:
    shutil.rmtree(TOP)
print(f"1..{COUNT[0]}")
sys.exit(1 if FAILED else 0)
