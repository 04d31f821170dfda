#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A web server with moods, for tests of downloads. Prints its two ports (http, https). usage: serve.py FILE LOG DIR"""
import http.server
import os
import ssl
import subprocess
import sys
import threading

FILE, LOG, DIR = sys.argv[1:4]
with open(FILE, "rb") as f:
    DATA = f.read()
HALF = len(DATA) // 2
seen = {}
other = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def give(self, data, status=200, cut=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:cut] if cut is not None else data)
        if cut is not None:
            self.close_connection = True

    def go(self, to):
        self.give(b"", 302, Location=to)

    def rest(self, tag, cut=None, off=0):
        """The whole, or from where it is wanted on."""
        wanted, same = self.headers.get("Range"), self.headers.get("If-Range")
        if wanted and same == tag:
            start = int(wanted[len("bytes="):-1])
            if start >= len(DATA):
                return self.give(b"", 416, Content_Range=f"bytes */{len(DATA)}")
            return self.give(DATA[start:], 206, ETag=tag,
                             Content_Range=f"bytes {start + off}-{len(DATA) - 1}/{len(DATA)}")
        return self.give(DATA, cut=cut, ETag=tag)

    def do_GET(self):
        path = self.path
        seen[path] = seen.get(path, 0) + 1
        with open(LOG, "a", encoding="ascii") as log:
            log.write(f"{path} {self.headers.get('Range')} {self.headers.get('If-Range')}\n")
        first = seen[path] == 1
        if path == "/run.rwd":
            self.rest('"one"')
        elif path == "/cut":
            self.rest('"one"', cut=HALF)
        elif path == "/changed":
            self.rest('"one"' if first else '"two"', cut=HALF if first else None)
        elif path == "/weak":
            self.give(DATA, cut=HALF if first else None, ETag='W/"one"')
        elif path == "/wrong":
            self.rest('"one"', cut=HALF, off=1)
        elif path == "/garbage":
            self.give(b"something else" * 100, ETag='"g"')
        elif path == "/redirect":
            self.go("/step2")
        elif path == "/step2":
            self.go("run.rwd")
        elif path == "/loop":
            self.go("/loop")
        elif path == "/plain":
            self.go("http://192.0.2.1/run.rwd")
        elif path == "/inside":
            self.go(f"http://localhost:{other[0]}/run.rwd")
        elif path == "/file":
            self.go("file:///etc/passwd")
        elif path == "/slow":
            self.send_response(200)
            self.send_header("ETag", '"one"')
            self.send_header("Content-Length", str(len(DATA)))
            self.end_headers()
            self.wfile.write(DATA[:HALF])
            self.wfile.flush()
            threading.Event().wait(20)
        elif path == "/secret":
            self.give(b"no", 403)
        elif path == "/broken":
            self.give(b"no", 500)
        else:
            self.give(b"no", 404)


def main():
    key, cert = os.path.join(DIR, "key.pem"), os.path.join(DIR, "cert.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert,
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, stderr=subprocess.DEVNULL)
    plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    secure = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    other.append(plain.server_address[1])
    for server in (plain, secure):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(plain.server_address[1], secure.server_address[1], flush=True)
    threading.Event().wait(600)


main()
