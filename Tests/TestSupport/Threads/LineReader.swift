package import Foundation
import Synchronization

/// The lines that another process prints.
package final class LineReader: Sendable {
    private let handle: FileHandle
    private let unread = Mutex(Data())

    package init(_ pipe: Pipe) { handle = pipe.fileHandleForReading }

    /// Waits for the next line on a thread of its own; nil if the process has closed its end.
    package func next() async -> String? { await onThread { self.read() } }

    /// Returns the next line, and blocks until it is there; nil if the process has closed its end.
    package func read() -> String? {
        unread.withLock { unread in
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread = Data(unread[unread.index(after: end)...]) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                let more = handle.availableData
                if more.isEmpty { return nil }
                unread += more
            }
        }
    }
}
