#include "counting.h"

#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

#define SOCKETS 1024

static atomic_long allocations, round_trips;
// Whether something was written to a socket since it was last read from.
static atomic_char has_written[SOCKETS];

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
    static ssize_t (*next)(int, const void *, size_t, int);
    if (!next) next = (ssize_t (*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
    if (socket >= 0 && socket < SOCKETS) atomic_store(&has_written[socket], 1);
    return next(socket, bytes, size, flags);
}

ssize_t recv(int socket, void *bytes, size_t size, int flags) {
    static ssize_t (*next)(int, void *, size_t, int);
    if (!next) next = (ssize_t (*)(int, void *, size_t, int))dlsym(RTLD_NEXT, "recv");
    ssize_t result = next(socket, bytes, size, flags);
    if (result > 0 && socket >= 0 && socket < SOCKETS && atomic_exchange(&has_written[socket], 0))
        atomic_fetch_add(&round_trips, 1);
    return result;
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("BENCH_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld %ld\n", atomic_load(&allocations), atomic_load(&round_trips));
    fclose(file);
}
#endif
