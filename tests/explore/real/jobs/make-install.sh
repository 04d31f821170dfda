# SPDX-License-Identifier: MIT
# Two targets install the same file under make -j2: install removes what is there and creates it, which another one did meanwhile.
mkdir bin
echo 1 >tool
cat >Makefile <<'EOF'
install: install-a install-b
install-a install-b:
	install -m 755 tool bin/tool
EOF
make -s -j2 install
