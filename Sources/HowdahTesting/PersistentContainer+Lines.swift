import Foundation
package import HowdahJSON
package import HowdahRuntime
import Synchronization

extension PersistentContainer {
    /// Returns the JSON lines of an export as one text.
    package nonisolated(nonsending) func exportedLines(
        _ export: GraphExport = GraphExport()
    ) async throws -> String {
        let collected = Pieces()
        try await exportGraph(export) { piece in collected.pieces.withLock { $0.append(piece) } }
        return String(decoding: collected.pieces.withLock { $0.reduce(Data(), +) }, as: UTF8.self)
    }

    /// Imports JSON lines in pieces of a fixed length, which may cut a line.
    @discardableResult
    package nonisolated(nonsending) func importLines(
        _ lines: String, pieces length: Int = 1 << 20
    ) async throws -> GraphImportSummary {
        let rest = Pieces()
        var bytes = Data(lines.utf8)[...]
        while !bytes.isEmpty {
            let piece = Data(bytes.prefix(length))
            rest.pieces.withLock { $0.append(piece) }
            bytes = bytes.dropFirst(length)
        }
        rest.pieces.withLock { $0.reverse() }
        return try await importGraph { rest.pieces.withLock { $0.popLast() } }
    }
}

private final class Pieces: Sendable {
    let pieces = Mutex<[Data]>([])
}
