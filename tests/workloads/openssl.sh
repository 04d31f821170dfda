# SPDX-License-Identifier: MIT
# openssl: digests, ciphers and MACs with fixed keys, a signature by a fixed key.
set -e
cd /tmp
seq 1 20000 >in
for digest in md5 sha1 sha256 sha512 sha3-256 blake2b512 sm3; do
    openssl dgst -$digest in
done
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f iv=0f0e0d0c0b0a09080706050403020100
for cipher in aes-128-cbc aes-256-cbc aes-256-ctr aes-128-ofb aes-192-ecb chacha20 camellia-256-cbc aria-128-cbc; do
    length=64; case $cipher in *128*) length=32 ;; *192*) length=48 ;; esac
    openssl enc -$cipher -K "$(echo $key | cut -c 1-$length)" -iv $iv -in in -out out 2>/dev/null
    echo "$cipher $(openssl dgst -sha256 -r out | cut -c 1-32)"
    openssl enc -d -$cipher -K "$(echo $key | cut -c 1-$length)" -iv $iv -in out 2>/dev/null | cmp - in
done
openssl dgst -sha256 -hmac secret in
openssl kdf -keylen 24 -kdfopt digest:SHA2-256 -kdfopt pass:password -kdfopt salt:salt -kdfopt iter:200 PBKDF2
openssl prime -hex FFFFFFFFFFFFFFC5
printf '%s\n' '-----BEGIN PRIVATE KEY-----' 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g' \
    '-----END PRIVATE KEY-----' >ed.pem
openssl pkey -in ed.pem -pubout | tail -n 2 | head -n 1
openssl pkeyutl -sign -inkey ed.pem -rawin -in in -out sig && openssl base64 -in sig
openssl base64 -in /etc/passwd | openssl base64 -d | cmp - /etc/passwd
