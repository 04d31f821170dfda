# SPDX-License-Identifier: MIT
openssl version | cut -d' ' -f1; seq 1 20000 >f
for h in md5 sha1 sha256 sha512 sha3-256 blake2b512; do openssl dgst -$h f; done
openssl enc -aes-256-cbc -K $(printf %064d 1) -iv $(printf %032d 2) -in f | openssl enc -d -aes-256-cbc -K $(printf %064d 1) -iv $(printf %032d 2) | cmp - f && echo same
openssl genrsa -out k 2048 2>/dev/null; openssl rsa -in k -check -noout; echo hello >m; openssl dgst -sha256 -sign k -out s m; openssl rsa -in k -pubout -out p 2>/dev/null; openssl dgst -sha256 -verify p -signature s m
openssl req -x509 -key k -subj /CN=localhost -days 2 -out c 2>/dev/null; (openssl s_server -quiet -key k -cert c -accept 4433 -naccept 1 -rev </dev/null >/dev/null 2>&1 &); sleep 1
(echo abcdef; sleep 1) | openssl s_client -quiet -no_ign_eof -connect 127.0.0.1:4433 2>/dev/null
