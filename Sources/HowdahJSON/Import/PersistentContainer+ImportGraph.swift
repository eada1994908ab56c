public import Foundation
import HowdahModel
public import HowdahRuntime
import PQClient

extension PersistentContainer {
    /// Reads JSON lines into the store: objects that are there already, by their natural keys, are changed, others are
    /// inserted. All of it is one transaction: after an error the store is as it was.
    ///
    /// Reading twice what `exportGraph(_:to:)` wrote changes nothing the second time, and no version moves, where all
    /// entities have natural keys; objects without one are inserted each time.
    ///
    /// The bytes are collected in about a MiB of memory, and beyond it in a temporary file. Meanwhile the
    /// call holds no connection or transaction. The import itself begins after the last byte, so that errors
    /// about lines are thrown then. In memory are 500 lines at a time, the names of objects without a natural
    /// key, and what refers forward: links as ids, and lines that cannot be saved before a later one.
    ///
    /// The call returns as soon as its task is cancelled, also while `read` blocks. `read` is not called
    /// again then.
    ///
    /// - Parameter read: gives the next bytes, in pieces of any length, and nil at their end. It may block:
    ///   it is called on a thread of its own, with the task-local values of the calling task.
    /// - Throws: what `read` throws; ``GraphError`` with the line; `SaveError`; as `fetch(_:)`;
    ///   `CancellationError`; `StoreError` with `streamIdle` if `read` gives nothing for
    ///   ``StoreOptions/streamIdleTimeout``, with `closed` if the container is closed meanwhile, and with
    ///   `temporaryFile`.
    @discardableResult
    nonisolated(nonsending)
        public func importGraph(
            from read: @escaping @Sendable () throws -> Data?
        ) async throws -> GraphImportSummary
    {
        try await importGraph(on: StreamThread()) { spooler in
            while let piece = try read() { try spooler.add(piece) }
        }
    }

    /// Reads JSON lines of an asynchronous sequence of bytes into the store, as `importGraph(from:)` with a
    /// closure.
    ///
    /// The call holds no thread while the sequence brings nothing. If its task is cancelled, the call returns
    /// at once, also if the sequence ignores that. The sequence then ends when it brings its next piece.
    ///
    /// - Parameter pieces: the bytes, in pieces of any length.
    /// - Throws: as with a closure, and the error of the sequence.
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
            on thread: StreamThread?, _ collect: @escaping @Sendable (inout LineSpooler) async throws -> Void
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
