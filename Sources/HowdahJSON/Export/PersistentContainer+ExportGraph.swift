public import Foundation
import HowdahModel
public import HowdahRuntime
import PQClient

extension PersistentContainer {
    /// Writes objects as canonical JSON lines, one object on each line.
    ///
    /// The content determines the order of entities and objects. Objects with a natural key are in its order,
    /// and references name it. Other objects have names that are numbers in the order of their ids. If all
    /// entities have natural keys, two stores with equal content therefore give equal bytes, even if their
    /// ids differ. `importGraph(from:)` reads the lines.
    ///
    /// The export is one moment of the store, in one REPEATABLE READ transaction, which has ended before
    /// `write` is called. The lines are kept in about a MiB of memory, and beyond that in a temporary file,
    /// so a slow client holds no connection. In memory are 500 objects with their references, and 8 bytes for
    /// each object of an entity. With key paths, all objects that they reach are in memory.
    ///
    /// The call returns as soon as its task is cancelled, even while `write` blocks. `write` is not called
    /// again then.
    ///
    /// - Parameter write: Receives some whole lines at a time. It may block: it runs on a separate thread,
    ///   with the task-local values of the calling task.
    /// - Throws: The error of `write`; `GraphError` for key paths; the errors of `fetch(_:)`;
    ///   `CancellationError`. `StoreError` with `streamIdle` if `write` takes longer than
    ///   ``StoreOptions/streamIdleTimeout``, `closed` if the container is closed meanwhile, or
    ///   `temporaryFile`.
    @discardableResult
    nonisolated(nonsending)
        public func exportGraph(
            _ export: GraphExport = GraphExport(), to write: @escaping @Sendable (Data) throws -> Void
        ) async throws -> GraphExport.Summary
    {
        try await exportGraph(export, on: BlockingThreads.ofStream()) { try write($0) }
    }

    /// Writes objects as canonical JSON lines to an asynchronous closure, as `exportGraph(_:to:)` with one
    /// that blocks.
    ///
    /// - Parameter write: Receives some whole lines at a time. The next ones follow when it returns.
    /// - Throws: The errors of the form with a closure that blocks.
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
            _ export: GraphExport, on thread: BlockingThreads?,
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
