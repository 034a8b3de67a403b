// SPDX-License-Identifier: Apache-2.0
// C++ programs as ranks: objects before and after main, exceptions in processes and kernels, lambdas and templates as
// kernels, foralls in members, shared variables in namespaces and classes.
#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

struct Global {
    std::string text = "rank " + std::to_string(m_rank(CCC_ALL));
    int thread_locals_ended = 0;
    ~Global() { CHECK(text == "changed by " + std::to_string(m_rank(CCC_ALL))); }
} global;

struct OfThread {
    std::vector<int> values{1, 2, 3};
    ~OfThread() { __atomic_fetch_add(&global.thread_locals_ended, 1, __ATOMIC_RELAXED); }
};
thread_local OfThread of_thread;

}  // namespace

namespace shapes {
node_shared int in_namespace = 4;
struct Square {
    static node_shared int of_class;
    std::array<int, 100> values{};
    int sum(int count) {
        int total = 0;
        forall (int i = 0; i < count; i++; BLOCK; CCC_ARRAY)
            __atomic_fetch_add(&total, values[static_cast<std::size_t>(i)], __ATOMIC_RELAXED);
        return total;
    }
};
node_shared int Square::of_class = 6;
}  // namespace shapes

inline node_shared int in_every_file = 7;
static __thread_local std::array<double, 16> scratch;

template <class Function>
struct Kernel {
    static __kernel void run(void *function) { (*static_cast<Function *>(function))(); }
};

template <class Function>
void on_threads(Function function) {
    m_run(Kernel<Function>::run, &function);
}

template <class T, int length>
T sum_by_blocks(const std::vector<T> &values) {
    T total = 0;
    forall (std::size_t i = 0; i < values.size(); i += length; ANY; CCC_ARRAY) {
        for (std::size_t j = i; j < i + length && j < values.size(); j++)
            __atomic_fetch_add(&total, values[j], __ATOMIC_RELAXED);
    }
    return total;
}

static void check_exceptions() {
    int caught = 0;
    try {
        throw std::runtime_error(global.text);
    } catch (const std::exception &error) {
        caught += error.what() == global.text;
    }
    on_threads([&] {
        try {
            std::make_unique<std::vector<int>>()->at(5);
        } catch (const std::out_of_range &) {
            __atomic_fetch_add(&caught, 1, __ATOMIC_RELAXED);
        }
    });
    CHECK(caught == 1 + m_size(CCC_ARRAY));
}

static void check_destructors() {
    struct Counter {
        int &count;
        ~Counter() { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }
    };
    int ended = 0;
    forall (int i = 0; i < 10; i++; BLOCK; CCC_ARRAY) {
        Counter counter{ended};
        std::string text(static_cast<std::size_t>(i) * 100, 'x');
        if (i == 3) continue;
        text += 'y';
    }
    CHECK(ended == 10);
    int rank_of_thread = -1;
    std::thread([&] {
        rank_of_thread = m_rank(CCC_ALL);
        of_thread.values.push_back(4);
    }).join();
    CHECK(rank_of_thread == m_rank(CCC_ALL) && global.thread_locals_ended == 1 && of_thread.values.size() == 3);
}

int main() {
    CHECK(global.text == "rank " + std::to_string(m_rank(CCC_ALL)));
    check_exceptions();
    check_destructors();

    int used = 0;
    on_threads([&] {  // in main, but run by accelerator threads
        scratch[3] += 2;
        __atomic_fetch_add(&used, static_cast<int>(scratch[3]), __ATOMIC_RELAXED);
    });
    CHECK(used == 2 * m_size(CCC_ARRAY));

    std::vector<long> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0L);
    CHECK((sum_by_blocks<long, 7>(numbers)) == 499500);
    shapes::Square square;
    std::iota(square.values.begin(), square.values.end(), 0);
    CHECK(square.sum(100) == 4950);
    CHECK(shapes::in_namespace == 4 && shapes::Square::of_class == 6 && in_every_file == 7);
    const auto generic = [](auto count) {
        long total = 0;
        forall (decltype(count) i = 0; i < count; i++; BLOCK(3); CCC_ARRAY)
            __atomic_fetch_add(&total, static_cast<long>(i), __ATOMIC_RELAXED);
        return total;
    };
    CHECK(generic(10u) == 45 && generic(static_cast<short>(5)) == 10);
    global.text = "changed by " + std::to_string(m_rank(CCC_ALL));
    return all_checks_passed("cxx");
}
