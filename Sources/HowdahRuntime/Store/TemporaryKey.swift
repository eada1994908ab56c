import Synchronization

/// Keys of objects that were never saved: negative, and unique in one process.
enum TemporaryKey {
    private static let last = Atomic<Int64>(0)

    static func next() -> Int64 { last.subtract(1, ordering: .relaxed).newValue }
}
