internal import Foundation
package import PQClient
internal import Synchronization

/// Tells who keeps another session from building an index: that session cannot, since it waits inside the statement.
package final class LockWatch: Sendable {
    private static let patience = 2.0
    private static let slice = 0.25

    private let isOver = Atomic(false)

    /// Begins to look, on a thread and a session of its own; the observer is called on that thread.
    package init(
        _ configuration: ConnectionConfiguration, session: Int32,
        _ observer: @escaping @Sendable (MigrationEvent) -> Void
    ) {
        Thread.detachNewThread { [self] in
            guard rest(), let connection = try? Connection(configuration) else { return }
            defer { connection.close() }
            var told: Set<String> = []
            repeat {
                let found = try? LockHolder.blocking(
                    session: session, in: "INDEX CONCURRENTLY", on: connection)
                guard let holders = found, !isOver.load(ordering: .acquiring) else { continue }
                for holder in holders where told.insert(holder.session).inserted {
                    observer(.blocked(by: holder.description))
                }
            } while connection.isUsable && rest()
        }
    }

    /// Looks no more.
    package func end() { isOver.store(true, ordering: .releasing) }

    /// False where it ended meanwhile.
    private func rest() -> Bool {
        for _ in 0..<Int(Self.patience / Self.slice) {
            if isOver.load(ordering: .acquiring) { return false }
            Thread.sleep(forTimeInterval: Self.slice)
        }
        return !isOver.load(ordering: .acquiring)
    }
}
