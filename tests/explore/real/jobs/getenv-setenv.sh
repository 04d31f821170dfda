# SPDX-License-Identifier: MIT
# One thread calls setenv, which moves the environment, while another one reads it by getenv: SIGSEGV in what was freed.
python3 -IS - <<'EOF'
import ctypes, threading
libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
def change():
    for i in range(40):
        libc.setenv(b"NAME%d" % i, b"value", 1)
def look():
    for i in range(40):
        libc.getenv(b"NOT_THERE")
threads = [threading.Thread(target=look), threading.Thread(target=change)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
EOF
