package import Foundation
import Synchronization

/// Pieces of bytes that a stream collects first and passes on afterwards, in the same order.
///
/// They are in memory up to a limit, and in a temporary file beyond it. So neither a slow source nor a slow
/// client needs a thread or a transaction of the store.
package final class Spool: Sendable {
    /// The maximum number of bytes in memory, without the piece that is being written.
    static let memoryLimit = 1 << 20

    private struct State {
        var buffer: [UInt8] = []
        var file: SpoolFile?
        /// The number of bytes in the file; the buffer has those that follow.
        var filed = 0
        /// The number of bytes that were read.
        var offset = 0
        var isClosed = false

        mutating func moveToFile(in directory: URL) throws {
            let file = try file ?? SpoolFile(in: directory)
            self.file = file
            try buffer.withUnsafeBytes { try file.write($0, at: filed) }
            filed += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }

        /// Returns the next `count` bytes. Pieces and their lengths move to the file together, so that they
        /// are in one place.
        mutating func take(_ count: Int) throws -> [UInt8] {
            defer { offset += count }
            if let file, offset < filed { return try file.read(count, at: offset) }
            return Array(buffer[(offset - filed)..<(offset - filed + count)])
        }
    }

    private let state = Mutex(State())
    private let directory: URL

    /// - Parameter directory: the directory of the file; nil for the system's.
    package init(directory: URL?) { self.directory = directory ?? FileManager.default.temporaryDirectory }

    /// Appends a piece. If the spool was closed, nothing happens.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    package func append(_ piece: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            if state.isClosed { return }
            withUnsafeBytes(of: piece.count) { state.buffer.append(contentsOf: $0) }
            state.buffer.append(contentsOf: piece)
            if state.buffer.count > Self.memoryLimit { try state.moveToFile(in: directory) }
        }
    }

    /// Reads the next piece; returns nil after the last one.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    package func next() throws -> [UInt8]? {
        try state.withLock { state in
            guard state.offset < state.filed + state.buffer.count else { return nil }
            let count = try state.take(MemoryLayout<Int>.size).withUnsafeBytes {
                $0.loadUnaligned(as: Int.self)
            }
            return try state.take(count)
        }
    }

    /// Makes ``next()`` begin with the first piece again.
    func rewind() { state.withLock { $0.offset = 0 } }

    /// Drops everything and closes the file.
    package func close() {
        state.withLock { state in
            state = State()
            state.isClosed = true
        }
    }
}
