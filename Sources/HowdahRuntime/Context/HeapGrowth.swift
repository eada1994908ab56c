#if canImport(Glibc)
import Glibc
#endif

/// Lets the heap of a thread grow in large steps while many objects are made.
///
/// glibc grows the heaps of all threads but the main one by single pages, a system call for each dozen of objects. A
/// block that is allocated and released leaves its room to the smaller ones.
enum HeapGrowth {
    /// The number of new objects between two steps.
    static let objects = 256

    /// The bytes of a step, below the size from which blocks are mapped on their own.
    private static let bytes = 112 << 10

    static func step() {
        #if canImport(Glibc)
        // Not malloc, which the compiler removes together with free.
        var block: UnsafeMutableRawPointer?
        if posix_memalign(&block, 16, bytes) == 0 { free(block) }
        #endif
    }
}
