# SPDX-License-Identifier: MIT
# A new RSA key, printed, and a signature by it; a new elliptic key; random bytes.
set -e
cd /tmp
openssl rand -hex 32
openssl genrsa -out key.pem 1024 2>/dev/null
cat key.pem
openssl rsa -in key.pem -pubout -out pub.pem 2>/dev/null
openssl dgst -sha256 -sign key.pem -out sig /etc/passwd && openssl dgst -sha256 -verify pub.pem -signature sig /etc/passwd
openssl ecparam -name prime256v1 -genkey -noout
