public import Foundation
import HowdahModel
import PQClient

extension PersistentContainer {
    /// Reads JSON lines into the store: objects that are there already, by their natural keys, are changed, others are
    /// inserted. All of it is one transaction: after an error the store is as it was.
    ///
    /// Reading twice what ``exportGraph(_:to:)`` wrote changes nothing the second time, and no version moves, where all
    /// entities have natural keys; objects without one are inserted each time.
    ///
    /// In memory are 500 lines at a time, the names of objects without a natural key, and what refers forward: links as
    /// ids, and lines that cannot be saved before a later one.
    ///
    /// - Parameter read: gives the next bytes, in pieces of any length, and nil at their end; called on one of the
    ///   container's threads.
    /// - Throws: what `read` throws; ``GraphError`` with the line; `SaveError`; as `fetch(_:)`.
    @discardableResult
    nonisolated(nonsending)
        public func importGraph(
            from read: @escaping @Sendable () throws -> Data?
        ) async throws -> GraphImportSummary
    {
        try await perform(isolation: .readCommitted) { context in
            do {
                var lines = LineImport(context)
                var splitter = LineSplitter()
                while let piece = try read() { try splitter.add(piece) { try lines.add($0) } }
                try splitter.finish { try lines.add($0) }
                return try lines.finish()
            } catch {
                throw context.store.readError(error)
            }
        }
    }
}
