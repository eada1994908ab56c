import Foundation
import Howdah
import Hummingbird

/// `/issues/{id}/attachments/{name}`: files of any size, in parts of a megabyte.
///
/// An upload becomes an object of its own, which has no media type until it is complete. One transaction then gives it
/// the name and removes the file before. So a file, its type and its `ETag` always belong to one upload.
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
                var fetch = FetchRequest<Attachment>(
                    where: #Predicate { $0.issue?.objectID == id && $0.mediaType != "" })
                fetch.propertiesToFetch = [.property(\.name)]
                fetch.sortDescriptors = [.ascending(\.name)]
                return Page(items: try context.fetch(fetch).map(\.name))
            })
    }

    @Sendable private func upload(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, id, name) = (try context.user, try container.issueID(context), try context.text("name"))
        guard (1...200).contains(name.unicodeScalars.count) else {
            throw ProblemDetails(422, "invalidName", "The name is longer than 200 characters. Shorten it.")
        }
        let upload = try await container.perform { context in
            let issue = try context.issue(id, for: user)
            // Before the body is read; what counts is the comparison after it.
            try check(request, try context.attachment(name, of: id).flatMap(tag))
            let upload = Attachment(context: context)
            (upload.issue, upload.name, upload.mediaType) = (issue, UUID().uuidString, "")
            try context.save()
            return upload.objectID.typed(as: Attachment.self)
        }
        do {
            try await container.writeData(
                of: upload, \.file, from: LimitedBody(base: request.body, limit: Self.largest))
            var response = Response.noContent()
            response.headers[.eTag] = try await finish(upload, as: name, of: id, request)
            return response
        } catch {
            // In a task of its own: this one is cancelled if its client has gone away.
            await Task { try? await remove(upload) }.value
            throw error
        }
    }

    /// Gives a complete upload its name, removes the file before, and returns the `ETag`.
    private func finish(
        _ upload: ObjectID<Attachment>, as name: String, of issue: ObjectID<Issue>, _ request: Request
    ) async throws -> String? {
        let mediaType =
            request.headers[.contentType].flatMap { $0.isEmpty ? nil : $0 } ?? "application/octet-stream"
        return try await container.perform(isolation: .readCommitted) { context in
            try context.lock(issue)
            let former = try context.attachment(name, of: issue)
            try check(request, former.flatMap(tag))
            if let former { try context.removeWithoutLoading(former.objectID.typed()) }
            try context.execute(
                BatchUpdateRequest(
                    Attachment.self, matching: .format("SELF == %@", upload),
                    set: ["name": .value(name), "mediaType": .value(mediaType)]))
            // Here, because the next upload may remove this one.
            return try context.attachment(name, of: issue).flatMap(tag)
        }
    }

    private func remove(_ upload: ObjectID<Attachment>) async throws {
        try await container.perform { try $0.removeWithoutLoading(upload) }
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
        let tag = Self.tag(attachment, whole.version)
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
        try await container.perform(isolation: .readCommitted) { context in
            _ = try context.issue(id, for: user)
            try context.lock(id)
            guard let found = try context.attachment(name, of: id) else { throw ProblemDetails.notFound }
            try check(request, tag(found))
            try context.removeWithoutLoading(found.objectID.typed())
        }
        return .noContent()
    }

    /// The `ETag` of a file, with the object: a file that is made again begins with the same version.
    private static func tag(_ id: ObjectID<Attachment>, _ version: ObjectVersion?) -> String? {
        version.map { "\"\(id.pathComponent).\($0)\"" }
    }

    private func tag(_ attachment: Attachment) -> String? {
        Self.tag(attachment.objectID.typed(), attachment.version)
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
    /// Returns a complete attachment without its file, which may be large; nil if there is none.
    fileprivate func attachment(_ name: String, of issue: ObjectID<Issue>) throws -> Attachment? {
        var request = FetchRequest<Attachment>(
            where: #Predicate { $0.issue?.objectID == issue && $0.name == name && $0.mediaType != "" })
        request.propertiesToFetch = [.property(\.mediaType)]
        return try fetch(request).first
    }

    /// Lets other changes of the files of an issue wait.
    fileprivate func lock(_ issue: ObjectID<Issue>) throws {
        var request = FetchRequest<Issue>(where: #Predicate { $0.objectID == issue })
        request.rowLock = .noKeyUpdate
        guard try !fetchObjectIDs(request).isEmpty else { throw ProblemDetails.notFound }
    }

    fileprivate func removeWithoutLoading(_ attachment: ObjectID<Attachment>) throws {
        try execute(BatchDeleteRequest(Attachment.self, matching: .format("SELF == %@", attachment)))
    }
}
