# SPDX-License-Identifier: MIT
# A client gives nginx 0.3 s to start: the connection is refused where it is later.
mkdir -p w logs && echo hello >w/f
printf 'daemon off; pid p; error_log e; events {} http { access_log off; server { listen 127.0.0.1:8080; root %s/w; } }' "$PWD" >n.conf
chmod 755 . w
nginx -p "$PWD" -c "$PWD/n.conf" 2>/dev/null & server=$!
sleep 0.3
curl -s http://127.0.0.1:8080/f >out; status=$?
kill $server; wait $server
exit $status
