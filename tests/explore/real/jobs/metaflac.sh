# SPDX-License-Identifier: MIT
# Two metaflac change the tags of a file: the second to write has not seen what the first one wrote.
head -c 4096 /dev/zero | flac --silent --force-raw-format --endian=little --sign=signed --channels=1 --bps=16 \
    --sample-rate=8000 -o tone.flac -
metaflac --set-tag=ARTIST=a tone.flac & first=$!
metaflac --set-tag=TITLE=t tone.flac & second=$!
status=0
wait $first || status=1
wait $second || status=1
[ "$(metaflac --export-tags-to=- tone.flac | sort | tr '\n' ' ')" = "ARTIST=a TITLE=t " ] || status=1
exit $status
