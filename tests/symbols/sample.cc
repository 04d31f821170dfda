// SPDX-License-Identifier: MIT
struct Counter {
    int value = 0;
    void add(int n);
};

void Counter::add(int n)
{
    value += n; // the line of add
}

int main()
{
    Counter counter;
    counter.add(2);
    return counter.value - 2;
}
