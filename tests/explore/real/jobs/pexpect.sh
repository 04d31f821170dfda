# SPDX-License-Identifier: MIT
# A program asks for a password and then turns the echo off. pexpect waits for 50 ms before it sends one; if the program is
# slower than that the password is shown.
cat >ask <<'EOF'
printf 'Password: '
stty -echo
read -r word
stty echo
echo "thanks"
EOF
python3 - <<'EOF'
import pexpect, sys
child = pexpect.spawn("sh", ["ask"], timeout=5)
child.expect("Password: ")
child.sendline("secret")
child.expect("thanks")
sys.exit(b"secret" in child.before)
EOF
