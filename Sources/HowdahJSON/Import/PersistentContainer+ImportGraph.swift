public import Foundation
import HowdahModel
public import HowdahRuntime
import PQClient

extension PersistentContainer {
    /// Imports JSON lines into the store, in one transaction.
    ///
    /// Objects that exist, by their natural keys, are changed, and others are inserted. After an error the
    /// store is unchanged. If all entities have natural keys, a second import of the output of
    /// `exportGraph(_:to:)` changes nothing and moves no version. Objects without a natural key are inserted
    /// each time.
    ///
    /// The bytes are collected in about a MiB of memory, and beyond that in a temporary file. Meanwhile the
    /// call holds no connection or transaction. The import itself begins after the last byte, so errors about
    /// lines are thrown then. In memory are 500 lines at a time, the names of objects without a natural key,
    /// and forward references. These are links as ids, and lines that cannot be saved before a later one.
    ///
    /// The call returns as soon as its task is cancelled, even while `read` blocks. `read` is not called
    /// again then.
    ///
    /// - Parameter read: Returns the next bytes, in pieces of any length, and nil at their end. It may block:
    ///   it runs on a separate thread, with the task-local values of the calling task.
    /// - Throws: The error of `read`; ``GraphError`` with the line; `SaveError`; the errors of `fetch(_:)`;
    ///   `CancellationError`. `StoreError` with `streamIdle` if `read` returns nothing for
    ///   ``StoreOptions/streamIdleTimeout``, `closed` if the container is closed meanwhile, or
    ///   `temporaryFile`.
    @discardableResult
    nonisolated(nonsending)
        public func importGraph(
            from read: @escaping @Sendable () throws -> Data?
        ) async throws -> GraphImportSummary
    {
        try await importGraph(on: BlockingThreads.ofStream()) { spooler in
            while let piece = try read() { try spooler.add(piece) }
        }
    }

    /// Imports JSON lines from an asynchronous sequence of bytes, as `importGraph(from:)` with a closure.
    ///
    /// The call holds no thread while it waits for the sequence. If its task is cancelled, the call returns
    /// at once, even if the sequence ignores that. The sequence then ends when it returns its next piece.
    ///
    /// - Parameter pieces: The bytes, in pieces of any length.
    /// - Throws: The errors of the form with a closure; the error of the sequence.
    @discardableResult
    nonisolated(nonsending)
        public func importGraph<Pieces: AsyncSequence & SendableMetatype>(
            from pieces: sending Pieces
        ) async throws -> GraphImportSummary
    where Pieces.Element == Data, Pieces.AsyncIterator: SendableMetatype {
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let pieces = pieces
        return try await importGraph(on: nil) { spooler in
            for try await piece in pieces { try spooler.add(piece) }
        }
    }

    nonisolated(nonsending)
        private func importGraph(
            on thread: BlockingThreads?,
            _ collect: @escaping @Sendable (inout LineSpooler) async throws -> Void
        ) async throws -> GraphImportSummary
    {
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        try await store.stream(with: .source, on: thread) { session in
            var spooler = LineSpooler(spool, session)
            try await collect(&spooler)
        }
        return try await perform(isolation: .readCommitted) { context in
            context.unit?.exemptFromStatementTimeout()
            do {
                var lines = LineImport(context)
                var splitter = LineSplitter()
                while let piece = try spool.next() { try splitter.add(piece) { try lines.add($0) } }
                try splitter.finish { try lines.add($0) }
                return try lines.finish()
            } catch {
                throw context.store.readError(error)
            }
        }
    }
}
