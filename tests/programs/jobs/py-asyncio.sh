# SPDX-License-Identifier: MIT
python3 - <<'END'
import asyncio
async def echo(r, w):
    while line := await r.readline():
        w.write(line.upper()); await w.drain()
    w.close()
async def client(port, n):
    r, w = await asyncio.open_connection("127.0.0.1", port)
    out = []
    for i in range(10):
        w.write(b"line %d of %d\n" % (i, n)); await w.drain(); out.append(await r.readline())
    w.close(); return out
async def main():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for out in await asyncio.gather(*(client(port, n) for n in range(10))): print(out[0], out[-1])
    p = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
    print(await p.communicate(b"through cat"))
    try: await asyncio.wait_for(asyncio.sleep(10), 0.2)
    except asyncio.TimeoutError: print("timed out")
asyncio.run(main())
END
