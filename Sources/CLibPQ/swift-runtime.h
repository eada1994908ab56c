#ifndef HOWDAH_SWIFT_RUNTIME_H
#define HOWDAH_SWIFT_RUNTIME_H

#include <stdbool.h>

// A function of Swift's runtime, by which weak references find out whether they still have their object. Swift code
// cannot name it, and a weak reference for each object would need an allocation for each.
bool swift_isDeallocating(void *_Nonnull object);

#endif
