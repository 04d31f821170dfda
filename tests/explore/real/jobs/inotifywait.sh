# SPDX-License-Identifier: MIT
# inotifywait is given 0.1 s to start. If it comes later it misses the file, and its time is up.
mkdir in
inotifywait -qq -t 2 -e create in &
sleep 0.1
touch in/file
wait $!
