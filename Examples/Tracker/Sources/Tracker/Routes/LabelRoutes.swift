import Howdah
import Hummingbird

/// `/issues/{id}/labels`
struct LabelRoutes {
    let container: PersistentContainer

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("issues/:id/labels", use: list).put("issues/:id/labels/:name", use: add)
            .delete("issues/:id/labels/:name", use: remove)
    }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        return try .json(
            try await container.perform { context in
                Page(items: try context.issue(id, for: user).labels.map(\.name).sorted())
            })
    }

    /// Two requests may name a new label at one time: one of them makes it, and both have it.
    @Sendable private func add(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            let issue = try context.issue(id, for: user)
            issue.labels.insert(
                try context.findOrInsert(Label.self, by: (\.project, issue.project), (\.name, name)))
            try context.save()
        }
        return .noContent()
    }

    @Sendable private func remove(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            let issue = try context.issue(id, for: user)
            for label in issue.labels where label.name == name { issue.labels.remove(label) }
            try context.save()
        }
        return .noContent()
    }
}
