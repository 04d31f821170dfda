# SPDX-License-Identifier: MIT
# Two sed -i change a file: the second one to rename its copy has not seen what the first one changed.
printf 'host=a\nport=1\n' >conf
sed -i 's/^host=.*/host=b/' conf & first=$!
sed -i 's/^port=.*/port=2/' conf & second=$!
wait $first $second
[ "$(tr '\n' ' ' <conf)" = "host=b port=2 " ]
