# SPDX-License-Identifier: MIT
ruby -e '
require "set"; require "digest"; require "json"; require "socket"
puts Digest::SHA256.hexdigest("rewind" * 100), JSON.generate({"a" => [1, nil, 2.5]})
puts (1..20).each_slice(6).map(&:sum).inspect, "a-b_c".tr("-_", "  ").split.map(&:capitalize).join
q = Queue.new; 5.times.map { |i| Thread.new { q << i * i } }.each(&:join); puts Array.new(5) { q.pop }.sort.inspect
s = TCPServer.new("127.0.0.1", 0); t = Thread.new { c = s.accept; c.puts c.gets.upcase; c.close }
c = TCPSocket.new("127.0.0.1", s.addr[1]); c.puts "hello"; puts c.gets; t.join
f = Fiber.new { 3.times { |i| Fiber.yield i }; :end }; puts 4.times.map { f.resume }.inspect, 2**200
'
