# SPDX-License-Identifier: MIT
# Two threads make what is not there yet: it is made twice (Ruby).
cat >a.rb <<'END'
class Registry
  @made = 0
  class << self
    attr_reader :made
    def instance
      unless @instance
        text = File.read(__FILE__)
        @made += 1
        @instance = text.size
      end
      @instance
    end
  end
end
a = Thread.new { Registry.instance }
File.write("log", "started\n" * 100)
b = Thread.new { Registry.instance }
[a, b].each(&:join)
abort "made #{Registry.made} times" if Registry.made != 1
END
ruby --disable-gems a.rb
