# SPDX-License-Identifier: MIT
# options: mem=2048
cat >a.js <<'END'
const http = require("http"), fs = require("fs"), crypto = require("crypto"), zlib = require("zlib");
const { Worker, isMainThread, parentPort } = require("worker_threads");
(async () => {
  if (!isMainThread) { parentPort.postMessage([1, 2, 3].map((x) => x ** 3)); return; }
  console.log(crypto.createHash("sha256").update("x".repeat(10000)).digest("hex"));
  const server = http.createServer((q, r) => r.end("path " + q.url)).listen(0, "127.0.0.1");
  await new Promise((r) => server.on("listening", r));
  for (let i = 0; i < 3; i++) await new Promise((done) => http.get({ port: server.address().port, host: "127.0.0.1", path: "/" + i, agent: false }, (r) => { let s = ""; r.on("data", (d) => (s += d)); r.on("end", () => { console.log(s); done(); }); }));
  server.close();
  await new Promise((r) => new Worker(__filename).on("message", (m) => { console.log(m); r(); }));
  console.log(zlib.gunzipSync(zlib.gzipSync(Buffer.from("text".repeat(1000)))).length, [3, 1, 2].sort(), new Intl.NumberFormat("en").format(1234567.8));
  let h = 0; for (let i = 0; i < 3e6; i++) h = (h * 31 + i) | 0; console.log(h);
  setTimeout(() => console.log("timer"), 50);
})();
END
node a.js
