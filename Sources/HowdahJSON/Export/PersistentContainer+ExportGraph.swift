public import Foundation
import HowdahModel
public import HowdahRuntime
import PQClient

extension PersistentContainer {
    /// Writes objects as canonical JSON lines: one object on each line, entities and objects in an order that follows from
    /// the content.
    ///
    /// Objects with a natural key come in its order and are referred to by it; others have names that are numbers in the
    /// order of their ids. Two stores with equal content therefore give equal bytes, whatever their ids, where all
    /// entities have natural keys. `importGraph(from:)` reads it back.
    ///
    /// All of it is one moment of the store, in one REPEATABLE READ transaction, which is over before `write`
    /// is called. The lines are kept in about a MiB of memory, and beyond it in a temporary file, so that a
    /// slow client holds no connection. In memory are 500 objects with what they refer to, and 8 bytes for
    /// each object of an entity; with key paths, all that they lead to.
    ///
    /// The call returns as soon as its task is cancelled, also while `write` blocks. `write` is not called
    /// again then.
    ///
    /// - Parameter write: takes some whole lines at a time. It may block: it is called on a thread of its
    ///   own, with the task-local values of the calling task.
    /// - Throws: what `write` throws; `GraphError` for key paths; as `fetch(_:)`; `CancellationError`;
    ///   `StoreError` with `streamIdle` if `write` takes longer than ``StoreOptions/streamIdleTimeout``, with
    ///   `closed` if the container is closed meanwhile, and with `temporaryFile`.
    @discardableResult
    nonisolated(nonsending)
        public func exportGraph(
            _ export: GraphExport = GraphExport(), to write: @escaping @Sendable (Data) throws -> Void
        ) async throws -> GraphExport.Summary
    {
        try await exportGraph(export, on: StreamThread()) { try write($0) }
    }

    /// Writes objects as canonical JSON lines to an asynchronous closure, as `exportGraph(_:to:)` with a
    /// closure that blocks.
    ///
    /// - Parameter write: takes some whole lines at a time. The next ones follow when it returns.
    /// - Throws: as with a closure that blocks.
    @discardableResult
    nonisolated(nonsending)
        public func exportGraph(
            _ export: GraphExport = GraphExport(), to write: @escaping @Sendable (Data) async throws -> Void
        ) async throws -> GraphExport.Summary
    {
        try await exportGraph(export, on: nil) { try await write($0) }
    }

    nonisolated(nonsending)
        private func exportGraph(
            _ export: GraphExport, on thread: StreamThread?,
            _ write: @escaping @Sendable (Data) async throws -> Void
        ) async throws -> GraphExport.Summary
    {
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        let summary = try await perform(isolation: .repeatableRead) { context in
            context.unit?.exemptFromStatementTimeout()
            do {
                var lines = try LineExport(context, export) { lines in
                    try lines.withUnsafeBytes { try spool.append($0) }
                }
                return try lines.run()
            } catch {
                throw context.store.readError(error)
            }
        }
        try await store.stream(with: .client, on: thread) { session in
            while let lines = try spool.next() {
                try session.advance()
                try await write(Data(lines))
            }
        }
        return summary
    }
}
