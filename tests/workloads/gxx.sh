# SPDX-License-Identifier: MIT
# A C++ program with exceptions, streams, containers and threads, compiled and run.
set -e
cd /tmp
cat >p.cc <<'END'
#include <atomic>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>
struct noisy {
    const char *name;
    ~noisy() { std::cout << "destroyed " << name << '\n'; }
};
static int dive(int depth)
{
    noisy guard{depth % 2 ? "odd" : "even"};
    if (depth == 0)
        throw std::out_of_range("bottom");
    return dive(depth - 1) + 1;
}
int main()
{
    try { dive(3); } catch (const std::exception &e) { std::cout << "caught " << e.what() << '\n'; }
    std::map<std::string, int> words;
    std::istringstream text("the cat and the dog and the bird");
    for (std::string word; text >> word;) words[word]++;
    for (const auto &[word, count] : words) std::cout << word << '=' << count << ' ';
    std::cout << std::setprecision(17) << 1.0 / 3 << std::hex << ' ' << 255 << std::dec << '\n';
    std::atomic<long> total{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back([&total, i] { for (int j = 0; j < 1000; j++) total += i * j; });
    for (auto &thread : threads) thread.join();
    std::cout << total << '\n';
    try { std::thread([] {}).detach(); std::vector<int>().at(5); } catch (...) { std::cout << "caught it\n"; }
    return 0;
}
END
g++ -std=c++17 -O1 -pthread -o p p.cc
./p
