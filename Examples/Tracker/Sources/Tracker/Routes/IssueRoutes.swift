import Howdah
import Hummingbird

/// `/issues/{id}`
struct IssueRoutes {
    let container: PersistentContainer

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("issues/:id", use: show).patch("issues/:id", use: update).delete("issues/:id", use: delete)
            .put("issues/:id/watchers/me", use: watch).delete("issues/:id/watchers/me", use: unwatch)
    }

    @Sendable private func show(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        let (document, version) = try await container.perform { context in
            let issue = try context.issue(id, for: user)
            return (IssueDocument(issue), issue.version)
        }
        if request.has(version) {
            return Response(status: .notModified, headers: [.eTag: version?.entityTag ?? ""])
        }
        return try .json(document, version: version)
    }

    @Sendable private func update(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id, version) = (
            try context.user, try container.issueID(context), try request.requiredVersion()
        )
        let patch = try await request.document(IssuePatch.self)
        // A save is a transaction. Only the lock of a project must be held from before it.
        let isolation = patch.status.isSet ? Isolation.readCommitted : nil
        do {
            let changed = try await container.perform(isolation: isolation, retrying: .unless(version)) {
                context -> (IssueDocument, ObjectVersion?)? in
                if patch.status.isSet { try context.lockProject(of: id, for: user) }
                let issue = try context.issue(id, for: user, version: version)
                // A save compares the version again, but not if the patch changes nothing.
                guard version == nil || issue.version == version else { return nil }
                try patch.apply(to: issue, for: user, in: context)
                if issue.hasPersistentChangedValues {
                    JobKind.notifyWatchers.add(
                        JobPayload(issue: id.pathComponent, subject: "Issue \(issue.number) changed"),
                        to: context)
                }
                try context.save()
                return (IssueDocument(issue), issue.version)
            }
            if let (document, now) = changed { return try .json(document, version: now) }
        } catch let error as SaveError where error.code == .conflict && version != nil {}
        let (current, now) = try await container.perform { context in
            let issue = try context.issue(id, for: user)
            return (IssueDocument(issue), issue.version)
        }
        return try ConflictDocument(patch, current).response(version: now)
    }

    /// `?preview=1` answers with what the deletion would do.
    @Sendable private func delete(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        let version = try request.expectedVersion()
        if try request.isPreview() {
            return try .json(
                try await container.perform { context in
                    DeletionDocument(try context.previewDelete(context.issue(id, for: user)))
                })
        }
        try await container.perform(isolation: .readCommitted, retrying: .unless(version)) { context in
            // Before the issue, as in all changes of a board: two that lock in another order end in a deadlock.
            try context.lockProject(of: id, for: user)
            context.delete(try context.issue(id, for: user, version: version))
            try context.save()
        }
        return .noContent()
    }

    @Sendable private func watch(_ request: Request, _ context: AppContext) async throws -> Response {
        try await setWatching(true, context)
    }

    @Sendable private func unwatch(_ request: Request, _ context: AppContext) async throws -> Response {
        try await setWatching(false, context)
    }

    private func setWatching(_ isWatching: Bool, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            let (issue, me) = (try context.issue(id, for: user), try context.existingObject(with: user.user))
            if isWatching { issue.watchers.insert(me) } else { issue.watchers.remove(me) }
            try context.save()
        }
        return .noContent()
    }
}

extension RetryPolicy {
    /// The policy for a change of the version that a client names: such a client decides about that one only.
    static func unless(_ version: ObjectVersion?) -> RetryPolicy {
        version == nil ? .conflicts(upTo: 10) : .never
    }
}

extension PersistentContainer {
    /// The issue of an address.
    func issueID(_ context: AppContext) throws -> ObjectID<Issue> {
        guard let id = objectID(Issue.self, pathComponent: try context.text("id")) else {
            throw ProblemDetails.notFound
        }
        return id
    }
}
