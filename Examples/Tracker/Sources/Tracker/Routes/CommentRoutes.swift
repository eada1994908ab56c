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
        return try .json(
            try await container.perform { context in
                _ = try context.issue(id, for: user)
                let comments = try context.fetch(
                    Comment.self, where: #Predicate { $0.issue?.objectID == id },
                    sortedBy: .ascending(\.createdAt), prefetching: \.author)
                return Page(items: comments.map(CommentDocument.init))
            })
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
