#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an OCI archive of one gzip layer. usage: make-oci.py DIRECTORY ARCHIVE CONFIG-JSON"""
import gzip
import hashlib
import io
import json
import sys
import tarfile


def main(directory, path, config):
    blobs = {}

    def add(data, kind):
        name = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{name}"] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{name}", "size": len(data)}

    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as archive:
        archive.add(directory, arcname=".")
    plain = "sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()
    whole = {"architecture": "amd64", "os": "linux", "config": json.loads(config),
             "rootfs": {"type": "layers", "diff_ids": [plain]}}
    manifest = {"schemaVersion": 2, "config": add(json.dumps(whole).encode(), "config.v1+json"),
                "layers": [add(gzip.compress(layer.getvalue(), mtime=0), "layer.v1.tar+gzip")]}
    index = {"schemaVersion": 2, "manifests": [add(json.dumps(manifest).encode(), "manifest.v1+json")]}
    blobs["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    blobs["index.json"] = json.dumps(index).encode()
    with tarfile.open(path, "w") as archive:
        for name, data in blobs.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


main(*sys.argv[1:])
