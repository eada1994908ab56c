// Tells the thread sanitizer what the slow paths of Swift's Mutex do: they are in a library that is not instrumented, and
// without this each contended Mutex looks like a race. The fast paths are compiled into our own code and seen there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lockSlow(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF handle) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    real(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlockSlow(SELF handle) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF handle) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    real(handle);
}
