# SPDX-License-Identifier: MIT
cat >a.cc <<'END'
#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <thread>
#include <vector>
int main()
{
    std::vector<int> v(10000); std::iota(v.begin(), v.end(), 1);
    std::map<std::string, int> m; for (int i : v) m[std::to_string(i % 7)] += i;
    for (auto &[k, n] : m) std::cout << k << '=' << n << ' ';
    std::atomic<long> sum{0}; std::vector<std::thread> t;
    for (int i = 0; i < 4; i++) t.emplace_back([&, i] { for (int k = 0; k < 1000; k++) sum += i; });
    for (auto &x : t) x.join();
    auto f = std::async(std::launch::async, [] { return 42; });
    try { throw std::runtime_error("thrown"); } catch (std::exception &e) { std::cout << e.what() << ' '; }
    std::cout << sum << ' ' << f.get() << ' ' << std::regex_replace(std::string("a1b2"), std::regex("[0-9]"), "#") << '\n';
}
END
g++ -std=c++20 -O2 -pthread a.cc -o a && ./a
