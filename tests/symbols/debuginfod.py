#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A debuginfod with moods. Prints its port. usage: debuginfod.py FILE OTHER LOG

Whatever build id is asked for, below /good it has FILE, below /wrong OTHER, below /garbage no ELF, below /huge one without
end, below /gone nothing; below /hang it says nothing, and below /stops it stops in the middle."""
import http.server
import sys
import time

FILE, OTHER, LOG = sys.argv[1:4]


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def give(self, data, length=None):
        self.send_response(200)
        self.send_header("Content-Length", str(length or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        mood = self.path.split("/")[1]
        with open(LOG, "a", encoding="ascii") as log:
            log.write(self.path + "\n")
        if mood == "good":
            self.give(read(FILE))
        elif mood == "wrong":
            self.give(read(OTHER))
        elif mood == "garbage":
            self.give(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 64)
        elif mood == "huge":
            self.give(read(FILE), 1 << 40)
            time.sleep(60)
        elif mood == "stops":
            self.give(read(FILE)[:4096], len(read(FILE)))
            time.sleep(60)
        elif mood == "hang":
            time.sleep(60)
        else:
            self.send_error(404)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
