# SPDX-License-Identifier: MIT
export GNUPGHOME=$PWD/g; mkdir -m 700 g
gpg --batch --quiet --passphrase '' --quick-generate-key 'A <a@b>' ed25519 sign never 2>/dev/null
echo text >f; gpg --batch --quiet -s f; gpg --batch --verify f.gpg 2>&1 | grep -c 'Good signature'; gpg --batch --quiet -d f.gpg 2>/dev/null
gpg --batch --quiet --passphrase x -c -o c f && gpg --batch --quiet --passphrase x -d c 2>/dev/null; gpgconf --kill all
