import Foundation
import Howdah
import Hummingbird

/// `/issues/{id}/comments`
struct CommentRoutes {
    let container: PersistentContainer

    struct New: Decodable {
        let text: String
    }

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("issues/:id/comments", use: list).post("issues/:id/comments", use: create)
    }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        let (limit, after) = try Paging.place(request)
        let (items, next) = try await container.perform { context in
            _ = try context.issue(id, for: user)
            var fetch = FetchRequest<Comment>(where: #Predicate { $0.issue?.objectID == id })
            fetch.sortDescriptors = [.ascending(\.createdAt)]
            fetch.fetchLimit = limit
            fetch.relationshipKeyPathsForPrefetching = ["author"]
            let page = try context.fetchPage(fetch, after: after)
            return (page.objects.map(CommentDocument.init), page.next)
        }
        return try .json(Page(items: items), headers: Paging.link(to: next, request))
    }

    @Sendable private func create(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        let body = try await request.document(New.self)
        let document = try await container.perform { context in
            let issue = try context.issue(id, for: user)
            let comment = Comment(context: context)
            (comment.issue, comment.text, comment.createdAt) = (issue, body.text, .now)
            comment.author = try context.existingObject(with: user.user)
            JobKind.notifyWatchers.add(
                JobPayload(issue: id.pathComponent, subject: "Issue \(issue.number) has a comment"),
                to: context)
            try context.save()
            return CommentDocument(comment)
        }
        return try .json(document, status: .created)
    }
}
