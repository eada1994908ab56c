import Foundation
import HTTPTypes
import Hummingbird

/// A read with an `ETag`, a list with a condition and a cursor, and a change with `If-Match`.
///
/// Each is one statement, so it needs neither a transaction nor a second round trip.
struct Routes: Sendable {
    let database: Database
    let tokens: Tokens
    /// Indicates whether changes write the store's history, as those of the tracker do.
    let recordsChanges: Bool

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: TracingMiddleware(redactingQueryParameters: ["q", "where", "after"]))
        router.add(middleware: MetricsMiddleware())
        return router.get("issues/:id", use: show).patch("issues/:id", use: update)
            .get("projects/:key/issues", use: list).get("readyz") { _, _ in "ready\n" }
    }

    @Sendable private func show(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let (team, id) = (try await tokens.team(request), try key(context))
        let issue = try await database.run { try $0.issue(id, of: team) }
        guard let issue else { throw HTTPError(.notFound) }
        if request.headers[.ifNoneMatch] == issue.tag {
            return Response(status: .notModified, headers: [.eTag: issue.tag])
        }
        return try Self.response(issue, tag: issue.tag)
    }

    @Sendable private func update(_ request: Request, _ context: BasicRequestContext) async throws -> Response
    {
        let (team, id) = (try await tokens.team(request), try key(context))
        guard let tag = request.headers[.ifMatch] else { throw HTTPError(.preconditionRequired) }
        guard tag.hasPrefix("\"r"), let version = Int64(tag.dropFirst(2).dropLast()) else {
            throw HTTPError(.preconditionFailed)
        }
        let patch = try await request.decode(as: IssuePatch.self, context: context)
        let (issue, isThere) = try await database.run { [recordsChanges] connection -> (IssueRow?, Bool) in
            let issue = try connection.change(
                id, of: team, version: version, patch, recorded: recordsChanges)
            if let issue { return (issue, true) }
            return (nil, try connection.issue(id, of: team) != nil)
        }
        guard let issue else { throw HTTPError(isThere ? .preconditionFailed : .notFound) }
        return try Self.response(issue, tag: issue.tag)
    }

    @Sendable private func list(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let (team, project) = (try await tokens.team(request), try context.parameters.require("key"))
        let query = request.uri.queryParameters
        let condition = query["where"]?.replacing("+", with: " ") ?? ""
        guard condition.hasPrefix("priority <= "), let most = Int16(condition.dropFirst(12)),
            let limit = query["limit"].flatMap({ Int64($0) }), (1...200).contains(limit)
        else { throw HTTPError(.badRequest) }
        let after = query["after"].flatMap { Int64($0) } ?? 0
        let issues = try await database.run {
            try $0.issues(of: project, team, priority: most, after: after, limit: limit)
        }
        var headers = HTTPFields()
        if issues.count > limit, let link = HTTPField.Name("Link") {
            var items = request.uri.query.map { $0.split(separator: "&").map(String.init) } ?? []
            items.removeAll { $0.hasPrefix("after=") }
            items.append("after=\(issues[Int(limit) - 1].number)")
            headers[link] = "<\(request.uri.path)?\(items.joined(separator: "&"))>; rel=\"next\""
        }
        return try Self.response(IssueRow.Page(items: Array(issues.prefix(Int(limit)))), headers: headers)
    }

    private func key(_ context: BasicRequestContext) throws -> Int64 {
        guard let id = Tokens.key(try context.parameters.require("id"), of: "Issue") else {
            throw HTTPError(.notFound)
        }
        return id
    }

    private static func response(
        _ document: some Encodable, tag: String? = nil, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.eTag] = tag
        return Response(
            status: .ok, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: try IssueRow.json(document))))
    }
}
