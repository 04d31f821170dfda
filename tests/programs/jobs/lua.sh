# SPDX-License-Identifier: MIT
lua5.4 -e '
local t = {} for i = 1, 50000 do t[i] = (i * 7919) % 10007 end table.sort(t) print(t[1], t[25000], t[50000])
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end) print(co(), co(), co())
print(("abc"):rep(3, "-"), ("x=1,y=2"):gsub("%d", "#"), 7 // 2, 7.0 / 2, 1 << 40, math.pi)
print(pcall(error, "oops")) local s = 0 for w in ("the quick brown"):gmatch("%a+") do s = s + #w end print(s)
'
