import Foundation
import Howdah
import Synchronization

/// The users who exist in their teams, as this process has seen it a short time ago.
///
/// A token is valid until it expires, also if its user was deleted or moved to another team. Asking for each request would
/// be a statement more.
final class KnownUsers: Sendable {
    private static let lifetime = Duration.seconds(10)
    private static let limit = 10_000
    private let container: PersistentContainer
    private let seen = Mutex<[Principal: ContinuousClock.Instant]>([:])

    init(_ container: PersistentContainer) { self.container = container }

    func contains(_ principal: Principal) async throws -> Bool {
        if let time = seen.withLock({ $0[principal] }), time > .now - Self.lifetime { return true }
        let (user, team) = (principal.user, principal.team)
        let exists = try await container.perform { context in
            try context.count(
                for: FetchRequest<User>(
                    where: #Predicate { $0.objectID == user && $0.team?.objectID == team }))
                > 0
        }
        seen.withLock { seen in
            if seen.count >= Self.limit { seen.removeAll() }
            seen[principal] = exists ? .now : nil
        }
        return exists
    }
}
