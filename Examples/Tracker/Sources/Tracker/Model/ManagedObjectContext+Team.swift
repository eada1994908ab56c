import Foundation
import Howdah

/// The objects of a user's team. Those of other teams do not exist for the user.
extension ManagedObjectContext {
    /// - Parameters:
    ///   - isLocked: Locks the project until the end of the transaction. Numbers and places of its issues are given one
    ///     after the other then, so that requests wait instead of failing.
    ///   - version: The version that the client has seen. The next save compares it.
    func project(
        _ key: String, for user: Principal, isLocked: Bool = false, version: ObjectVersion? = nil
    ) throws -> Project {
        let team = user.team
        var request = FetchRequest<Project>(where: #Predicate { $0.key == key && $0.team?.objectID == team })
        if isLocked { request.rowLock = .noKeyUpdate }
        guard let project = try fetch(request).first else { throw ProblemDetails.notFound }
        return try version.map { try existingObject(with: project.objectID.typed(), version: $0) } ?? project
    }

    /// - Parameter version: The version that the client has seen. The next save compares it.
    func issue(
        _ id: ObjectID<Issue>, for user: Principal, version: ObjectVersion? = nil
    ) throws -> Issue {
        let team = user.team
        let found = try fetch(
            Issue.self, where: #Predicate { $0.objectID == id && $0.project?.team?.objectID == team },
            limit: 1, prefetching: \.author, \.assignee)
        guard let issue = found.first else { throw ProblemDetails.notFound }
        return try version.map { try existingObject(with: id, version: $0) } ?? issue
    }

    /// Locks the project of an issue, before the issue is read.
    func lockProject(of id: ObjectID<Issue>, for user: Principal) throws {
        let team = user.team
        var request = FetchRequest<Project>(matching: .format("ANY issues == %@ AND team == %@", id, team))
        request.rowLock = .noKeyUpdate
        guard try !fetch(request).isEmpty else { throw ProblemDetails.notFound }
    }

    func user(login: String, for user: Principal) throws -> User {
        let team = user.team
        let users = try fetch(
            User.self, where: #Predicate { $0.login == login && $0.team?.objectID == team })
        guard let found = users.first else {
            throw ProblemDetails(
                422, "unknownUser", "The team has no such user. Choose a member.", at: "/assignee")
        }
        return found
    }
}
