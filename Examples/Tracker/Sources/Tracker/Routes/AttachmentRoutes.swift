import Foundation
import Howdah
import Hummingbird

/// `/issues/{id}/attachments/{name}`: files of any size, in parts of a megabyte.
struct AttachmentRoutes {
    private static let largest = 100_000_000
    let container: PersistentContainer

    init(container: PersistentContainer) { self.container = container }

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("issues/:id/attachments", use: list)
            .get("issues/:id/attachments/:name", use: download)
            .put("issues/:id/attachments/:name", use: upload)
            .delete("issues/:id/attachments/:name", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id) = (try context.user, try container.issueID(context))
        return try .json(
            try await container.perform { context in
                _ = try context.issue(id, for: user)
                // One whose upload did not end has no file.
                var fetch = FetchRequest<Attachment>(
                    where: #Predicate { $0.issue?.objectID == id && $0.file != nil })
                fetch.propertiesToFetch = [.property(\.name)]
                fetch.sortDescriptors = [.ascending(\.name)]
                return Page(items: try context.fetch(fetch).map(\.name))
            })
    }

    @Sendable private func upload(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        let mediaType = request.headers[.contentType] ?? "application/octet-stream"
        let attachment = try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            let issue = try context.issue(id, for: user)
            return try context.findOrInsert(Attachment.self, by: (\.issue, issue), (\.name, name))
                .objectID.typed(as: Attachment.self)
        }
        try await checkPrecondition(of: attachment, request)
        try await container.writeData(
            of: attachment, \.file, from: LimitedBody(base: request.body, limit: Self.largest))
        // Last, so that an upload that breaks changes nothing of the file before.
        let version = try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            let attachment = try context.existingObject(with: attachment)
            attachment.mediaType = mediaType
            try context.save()
            return attachment.version
        }
        return .noContent(version: version)
    }

    @Sendable private func download(_ request: Request, _ context: AppContext) async throws -> Response {
        let (attachment, mediaType) = try await find(context)
        guard let whole = try await container.dataPart(of: attachment, \.file, in: 0..<0) else {
            throw ProblemDetails.notFound
        }
        // A browser must never show a file of a user as a page of this server.
        var headers: HTTPFields = [
            .contentType: mediaType, .acceptRanges: "bytes", .xContentTypeOptions: "nosniff",
            .contentDisposition: "attachment",
        ]
        headers[.eTag] = whole.version?.entityTag
        if request.has(whole.version) { return Response(status: .notModified, headers: headers) }
        let range: Range<Int>
        // Of another version, a part is of no use.
        let isSame = request.headers[.ifRange].map { $0 == whole.version?.entityTag } ?? true
        switch ByteRange(isSame ? request.headers[.range] : nil, of: whole.count) {
        case .whole: range = 0..<whole.count
        case .part(let part):
            range = part
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(whole.count)"
        case .outside:
            var response = try ProblemDetails(
                416, "rangeOutside", "The range is not in the file. Ask for bytes before its end."
            ).response(from: request, context: context)
            response.headers[.contentRange] = "bytes */\(whole.count)"
            return response
        }
        let parts = container.dataParts(of: attachment, \.file, in: range)
        return Response(
            status: headers[.contentRange] == nil ? .ok : .partialContent, headers: headers,
            body: .init(contentLength: range.count) { writer in
                for try await part in parts { try await writer.write(ByteBuffer(bytes: part)) }
                try await writer.finish(nil)
            })
    }

    @Sendable private func delete(_ request: Request, _ context: AppContext) async throws -> Response {
        let (attachment, _) = try await find(context)
        let version = try request.expectedVersion()
        try await container.perform(retrying: version == nil ? .conflicts(upTo: 3) : .never) { context in
            context.delete(
                try version.map { try context.existingObject(with: attachment, version: $0) }
                    ?? context.existingObject(with: attachment))
            try context.save()
        }
        return .noContent()
    }

    /// Compares what the client knows of the file with the store.
    ///
    /// - Throws: ``ProblemDetails`` with status 412 if the file is another one.
    private func checkPrecondition(of attachment: ObjectID<Attachment>, _ request: Request) async throws {
        let (expected, mustBeNew) = (try request.expectedVersion(), request.headers[.ifNoneMatch] == "*")
        guard mustBeNew || request.headers[.ifMatch] != nil else { return }
        let file = try await container.dataPart(of: attachment, \.file, in: 0..<0)
        let isRight = mustBeNew ? file == nil : file != nil && (expected == nil || expected == file?.version)
        guard isRight else {
            throw ProblemDetails(
                412, "conflict",
                "The file is another one than the request expects. Get it, and send its ETag.")
        }
    }

    private func find(_ context: AppContext) async throws -> (ObjectID<Attachment>, String) {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        return try await container.perform { context in
            _ = try context.issue(id, for: user)
            var fetch = FetchRequest<Attachment>(
                where: #Predicate { $0.issue?.objectID == id && $0.name == name && $0.file != nil })
            fetch.propertiesToFetch = [.property(\.mediaType)]
            guard let found = try context.fetch(fetch).first else { throw ProblemDetails.notFound }
            return (found.objectID.typed(), found.mediaType)
        }
    }
}
