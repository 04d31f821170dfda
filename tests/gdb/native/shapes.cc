// SPDX-License-Identifier: MIT
//
// What C++ has that C has not, to look at with a debugger: virtual functions, templates, exceptions, lambdas, and
// threads of the standard library.
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shapes {

struct Shape {
    std::string name;
    explicit Shape(std::string called) : name(std::move(called)) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square : Shape {
    double side;
    explicit Square(double of) : Shape("square"), side(of) {}
    double area() const override
    {
        double sum = side * side;
        return sum; // here
    }
};

template <typename T, int N> struct Pile {
    T things[N] = {};
    T total() const
    {
        T sum = 0;
        for (const T &thing : things)
            sum += thing;
        return sum; // total
    }
};

} // namespace shapes

static int refuse(int number)
{
    if (number > 2)
        throw std::out_of_range("more than two"); // thrown
    return number;
}

static void work(int number, std::vector<std::unique_ptr<shapes::Shape>> &all)
{
    double area = 0;
    for (const auto &shape : all)
        area += shape->area();
    auto twice = [&](int by) { return area * by; };
    std::printf("%d %g\n", number, twice(2)); // worked
}

int main()
{
    std::vector<std::unique_ptr<shapes::Shape>> all;
    std::map<std::string, int> counts = {{"one", 1}, {"two", 2}};
    shapes::Pile<short, 4> pile = {{1, 2, 3, 4}};
    all.push_back(std::make_unique<shapes::Square>(1.5));
    std::thread thread(work, 7, std::ref(all));
    thread.join();
    try {
        counts["one"] += refuse(3);
    } catch (const std::out_of_range &error) {
        std::printf("%s, %d of %zu\n", error.what(), pile.total(), counts.size());
    }
    return 0;
}
