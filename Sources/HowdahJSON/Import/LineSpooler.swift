import Foundation
import HowdahRuntime

/// Collects the bytes of lines in a spool, unless a line is too long.
struct LineSpooler {
    /// The maximum number of bytes of one line.
    private static let limit = 256 << 20
    private static let pieceSize = 256 << 10

    private let spool: Spool
    private let session: StreamSession
    private var line = 1
    /// The number of bytes that the line has so far.
    private var length = 0

    init(_ spool: Spool, _ session: StreamSession) {
        self.spool = spool
        self.session = session
    }

    /// Adds a piece of any length; an empty one does not count as progress.
    ///
    /// - Throws: `GraphError` for a line that is too long; `StoreError` with `temporaryFile`;
    ///   `CancellationError` if the stream has ended.
    mutating func add(_ piece: Data) throws {
        if piece.isEmpty { return try session.check() }
        try session.advance()
        for start in stride(from: 0, to: piece.count, by: Self.pieceSize) {
            try piece.dropFirst(start).prefix(Self.pieceSize).withUnsafeBytes { bytes in
                try measure(bytes)
                try spool.append(bytes)
            }
        }
    }

    private mutating func measure(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += 1
            length = 0
            rest = rest[(end + 1)...]
        }
        length += rest.count
        guard length <= Self.limit else {
            throw GraphError(
                .tooLarge,
                "The line has more than \(Self.limit >> 20) MiB. Give JSON lines, with one object in each line.",
                at: GraphPlace(line: line))
        }
    }
}
