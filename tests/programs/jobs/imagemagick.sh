# SPDX-License-Identifier: MIT
convert -size 200x200 gradient:red-blue -rotate 30 -blur 0x3 a.png; identify -format '%wx%h %[colorspace]\n' a.png; convert a.png -resize 50% -colorspace Gray b.ppm; identify -format '%wx%h\n' b.ppm; convert -size 64x64 xc:white -fill black -draw 'circle 32,32 32,10' c.pgm; sha256sum <c.pgm; compare -metric AE c.pgm c.pgm null: 2>&1; echo
