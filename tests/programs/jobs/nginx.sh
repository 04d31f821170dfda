# SPDX-License-Identifier: MIT
mkdir -p w logs && seq 1 1000 >w/f && printf 'worker_processes 2; pid p; error_log e; events {} http { access_log off; gzip on; gzip_types *; server { listen 127.0.0.1:8080; root %s/w; location /u { return 201 "made\\n"; } } }' "$PWD" >n.conf
chmod 755 . w; nginx -p "$PWD" -c "$PWD/n.conf" 2>/dev/null; sleep 0.5
curl -s http://127.0.0.1:8080/f | sha256sum; curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:8080/none; curl -s http://127.0.0.1:8080/u; curl -s -r 5-9 http://127.0.0.1:8080/f; curl -s --compressed http://127.0.0.1:8080/f | wc -l
for i in 1 2 3 4 5 6; do curl -s http://127.0.0.1:8080/f -o o$i & done; wait; cat o? | wc -l; nginx -p "$PWD" -c "$PWD/n.conf" -s quit; echo quit
