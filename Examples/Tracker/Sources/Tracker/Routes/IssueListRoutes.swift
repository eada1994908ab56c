import Crypto
import Foundation
import Howdah
import Hummingbird

/// `/projects/{key}/issues`
struct IssueListRoutes {
    let container: PersistentContainer

    struct New: Codable {
        let title: String
        let text: String?
        let priority: Int16?
        let status: String?
        let dueOn: Date?
        let estimate: EstimateDocument?
        let assignee: String?
    }

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("projects/:key/issues", use: list).post("projects/:key/issues", use: create)
    }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key, paging) = (try context.user, try context.text("key"), try Paging(request))
        let condition = try request.queryText("where").map { try ClientPredicate.tree($0) }
        let fields = try Fields(request)
        // A slow condition of one client must not keep the connections from all others.
        let timeout: Duration? = condition == nil ? nil : .seconds(2)
        let (items, next) = try await container.perform(timeout: timeout) { context in
            let project = try context.project(key, for: user)
            var fetch = FetchRequest<Issue>()
            let ofProject = PredicateTree.format("project == %@", project.objectID)
            fetch.predicate = condition.map { .and([ofProject, $0]) } ?? ofProject
            fetch.sortDescriptors = paging.sort
            fetch.fetchLimit = paging.limit
            fetch.relationshipKeyPathsForPrefetching = fields == nil ? ["author", "assignee"] : []
            let page = try context.fetchPage(fetch, after: paging.after)
            return (try Self.json(of: page.objects, fields, in: context), page.next)
        }
        return .json(items, headers: Paging.link(to: next, request))
    }

    /// The page, with the fields that the client wants.
    private static func json(
        of issues: [Issue], _ fields: Fields?, in context: ManagedObjectContext
    ) throws -> Data {
        guard let fields else { return try Response.data(of: Page(items: issues.map(IssueDocument.init))) }
        let items = try context.encodeGraph(
            of: issues, keyPaths: fields.keyPaths, including: [.objectID, .version])
        return Data(#"{"items":"#.utf8) + items + Data("}".utf8)
    }

    /// A repeated request with the same `Idempotency-Key` is answered with the issue of the first one.
    @Sendable private func create(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key) = (try context.user, try context.text("key"))
        let body = try await request.document(New.self)
        let (idempotencyKey, digest) = (try request.idempotencyKey, try Self.digest(of: body, key))
        let (document, version, isNew) = try await container.perform(
            isolation: .readCommitted, retrying: .conflicts(upTo: 3)
        ) { context in
            // Requests of one project wait here for each other, so the second finds the issue of the first.
            let project = try context.project(key, for: user, isLocked: true)
            if let idempotencyKey, let known = try issue(of: idempotencyKey, user, in: context) {
                // The issue may have changed since, so the first request is compared.
                guard known.requestDigest == digest else {
                    throw ProblemDetails(
                        422, "idempotencyKeyReused", "The key was used for another request. Choose a new one."
                    )
                }
                return (IssueDocument(known), known.version, false)
            }
            let issue = try project.addIssue(
                title: body.title, status: body.status ?? "open",
                author: context.existingObject(with: user.user))
            issue.text = body.text ?? ""
            issue.priority = body.priority ?? issue.priority
            issue.dueOn = body.dueOn
            issue.estimate = try body.estimate?.composite
            issue.assignee = try body.assignee.map { try context.user(login: $0, for: user) }
            issue.idempotencyKey = idempotencyKey
            issue.requestDigest = idempotencyKey == nil ? nil : digest
            try context.save()
            return (IssueDocument(issue), issue.version, true)
        }
        return try .json(
            document, status: isNew ? .created : .ok, version: version,
            headers: [.location: "/issues/\(document.id)"])
    }

    /// Returns a text that is the same for equal requests only.
    private static func digest(of body: New, _ project: String) throws -> String {
        let digest = SHA256.hash(data: Data("\(project) ".utf8) + (try Response.data(of: body)))
        return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func issue(
        of key: String, _ user: Principal, in context: ManagedObjectContext
    ) throws -> Issue? {
        let author = user.user
        return try context.fetch(
            Issue.self, where: #Predicate { $0.author?.objectID == author && $0.idempotencyKey == key }
        ).first
    }
}
