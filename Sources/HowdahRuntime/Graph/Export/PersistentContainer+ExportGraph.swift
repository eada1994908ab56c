public import Foundation
import HowdahModel
import PQClient

extension PersistentContainer {
    /// Writes objects as canonical JSON lines: one object on each line, entities and objects in an order that follows from
    /// the content.
    ///
    /// Objects with a natural key come in its order and are referred to by it; others have names that are numbers in the
    /// order of their ids. Two stores with equal content therefore give equal bytes, whatever their ids, where all
    /// entities have natural keys. ``importGraph(from:)`` reads it back.
    ///
    /// All of it is one moment of the store, in one REPEATABLE READ transaction. In memory are 500 objects with what they
    /// refer to, and 8 bytes for each object of an entity; with key paths, all that they lead to.
    ///
    /// - Parameter write: takes some lines at a time, on one of the container's threads.
    /// - Throws: what `write` throws; `GraphError` for key paths; as `fetch(_:)`.
    @discardableResult
    nonisolated(nonsending)
        public func exportGraph(
            _ export: GraphExport = GraphExport(), to write: @escaping @Sendable (Data) throws -> Void
        ) async throws -> GraphExport.Summary
    {
        try await perform(isolation: .repeatableRead) { context in
            do {
                var lines = try LineExport(context, export, write)
                return try lines.run()
            } catch {
                throw context.store.readError(error)
            }
        }
    }
}
