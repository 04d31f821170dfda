# SPDX-License-Identifier: MIT
seq 1 2000 | jq -cs 'map({n: ., sq: (. * .)}) | group_by(.n % 5) | map({k: .[0].n, s: (map(.sq) | add)})'; echo '{"a":[1,{"b":null}],"c":"x"}' | jq -S '. as $x | paths(type == "null"), ([.. | numbers] | add), ($x.c | ascii_upcase | @base64)'
jq -n '[limit(10; def f: 0, (f + 1); f)] | tostring | test("9")'
