# SPDX-License-Identifier: MIT
echo 'digraph g { a -> b -> c; a -> c; b -> d [label=x]; }' >g; dot -Tplain g; neato -Tplain g | head -1; dot -Tsvg g | grep -c '<g '
