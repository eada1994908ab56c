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
            // Not the object, which would have the whole file.
            if let known = try context.attachment(name, of: id) {
                return known.objectID.typed(as: Attachment.self)
            }
            return try context.findOrInsert(Attachment.self, by: (\.issue, issue), (\.name, name))
                .objectID.typed(as: Attachment.self)
        }
        try check(request, tag(of: attachment, try await version(of: attachment)))
        try await container.writeData(
            of: attachment, \.file, from: LimitedBody(base: request.body, limit: Self.largest))
        // Last, so that an upload that breaks changes nothing of the file before.
        try await container.perform { context in
            try context.execute(
                BatchUpdateRequest(
                    Attachment.self, matching: .format("SELF == %@", attachment),
                    set: ["mediaType": .value(mediaType)]))
        }
        var response = Response.noContent()
        response.headers[.eTag] = tag(of: attachment, try await version(of: attachment))
        return response
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
        let tag = tag(of: attachment, whole.version)
        headers[.eTag] = tag
        if request.headers[.ifNoneMatch].map({ $0 == "*" || $0.contains(tag ?? "*") }) ?? false {
            return Response(status: .notModified, headers: headers)
        }
        let range: Range<Int>
        // Of another version, a part is of no use.
        let isSame = request.headers[.ifRange].map { $0 == tag } ?? true
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
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        try await container.perform(retrying: .conflicts(upTo: 3)) { context in
            _ = try context.issue(id, for: user)
            guard let found = try context.attachment(name, of: id) else {
                throw ProblemDetails.notFound
            }
            try check(request, tag(of: found.objectID.typed(), found.version))
            context.delete(found)
            try context.save()
        }
        return .noContent()
    }

    /// The version of a file; nil if there is none.
    private func version(of attachment: ObjectID<Attachment>) async throws -> ObjectVersion? {
        try await container.dataPart(of: attachment, \.file, in: 0..<0)?.version
    }

    /// The `ETag` of a file, with the object: a file that is deleted and made again begins with the same version.
    private func tag(of attachment: ObjectID<Attachment>, _ version: ObjectVersion?) -> String? {
        version.map { "\"\(attachment.pathComponent).\($0)\"" }
    }

    /// Compares what the client knows of the file with the one that is there.
    ///
    /// - Throws: ``ProblemDetails`` with status 412 if it is another one.
    private func check(_ request: Request, _ tag: String?) throws {
        let isExpected = request.headers[.ifMatch].map { tag != nil && ($0 == "*" || $0 == tag) } ?? true
        let isUnwanted = request.headers[.ifNoneMatch].map { tag != nil && ($0 == "*" || $0 == tag) } ?? false
        guard isExpected, !isUnwanted else {
            throw ProblemDetails(
                412, "conflict",
                "The file is another one than the request expects. Get it, and send its ETag.")
        }
    }

    private func find(_ context: AppContext) async throws -> (ObjectID<Attachment>, String) {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        return try await container.perform { context in
            _ = try context.issue(id, for: user)
            guard let found = try context.attachment(name, of: id) else { throw ProblemDetails.notFound }
            return (found.objectID.typed(), found.mediaType)
        }
    }
}

extension ManagedObjectContext {
    /// Returns an attachment without its file, which may be large; nil if there is none.
    fileprivate func attachment(_ name: String, of issue: ObjectID<Issue>) throws -> Attachment? {
        var request = FetchRequest<Attachment>(
            where: #Predicate { $0.issue?.objectID == issue && $0.name == name })
        request.propertiesToFetch = [.property(\.mediaType)]
        return try fetch(request).first
    }
}
