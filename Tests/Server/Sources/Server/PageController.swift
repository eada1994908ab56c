import Foundation
import Howdah
import Hummingbird
import NIOCore

/// The addresses of pages.
struct PageController: Sendable {
    let container: PersistentContainer
    /// Makes the mistakes that the check has to find: it compares no versions, and shows that of one row for a document.
    let isWrong: Bool

    struct Edit: Decodable {
        var title: String
        var edits: Int
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.get("pages/:id") { try await show($0, $1) }
        router.get("pages/:id/whole") { try await showWhole($0, $1) }
        router.put("pages/:id") { try await update($0, $1) }
        router.post("pages/:id/remarks/:number") { try await add($1) }
        router.delete("pages/:id/remarks/:number") { try await remove($1) }
        router.get("ready") { _, _ in
            let readiness = await container.ready()
            return Response(
                status: readiness.isReady ? .ok : .serviceUnavailable,
                body: .init(byteBuffer: ByteBuffer(string: readiness.description)))
        }
        for (path, seconds) in [("slow", 0.2), ("hanging", 60)] {
            router.get(RouterPath(path)) { _, _ in
                try await container.perform { context in
                    _ = try context.fetchRows(
                        Int.self, sql: "SELECT 1::bigint FROM pg_catalog.pg_sleep(\(seconds))")
                }
                return "done"
            }
        }
    }

    private func id(_ context: BasicRequestContext) throws -> ObjectID<Page> {
        guard let text = context.parameters.get("id"),
            let id = container.objectID(Page.self, pathComponent: text)
        else { throw HTTPError(.notFound) }
        return id
    }

    private func show(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try id(context)
        let (json, version) = try await container.perform { context in
            let page = try context.existingObject(with: id)
            return (
                try context.encodeGraph(
                    of: [page], keyPaths: ["title", "edits"], including: [.objectID, .version]),
                page.version
            )
        }
        return Response(
            status: .ok, headers: [.eTag: version?.entityTag ?? "", .contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: json)))
    }

    private func showWhole(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try id(context)
        let (document, row) = try await container.perform(isolation: .repeatableRead) { context in
            let page = try context.existingObject(with: id)
            let document = try context.graphDocument(
                of: [page], keyPaths: ["title", "remarks.number"], including: [])
            return (document, page.version)
        }
        let tag = (isWrong ? row : document.version)?.entityTag ?? ""
        if request.headers[.ifNoneMatch] == tag {
            return Response(status: .notModified, headers: [.eTag: tag])
        }
        return Response(
            status: .ok, headers: [.eTag: tag, .contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: document.json)))
    }

    private func update(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let id = try id(context)
        guard let tag = request.headers[.ifMatch] else { throw HTTPError(.init(code: 428)) }
        guard let version = ObjectVersion(entityTag: tag) else { throw HTTPError(.preconditionFailed) }
        let edit = try await request.decode(as: Edit.self, context: context)
        let now = try await container.perform { context in
            let page =
                isWrong
                ? try context.existingObject(with: id)
                : try context.existingObject(with: id, version: version)
            if isWrong { context.mergePolicy = .overwrite }
            (page.title, page.edits) = (edit.title, edit.edits)
            try context.save()
            return page.version
        }
        return Response(status: .noContent, headers: [.eTag: now?.entityTag ?? ""])
    }

    private func add(_ context: BasicRequestContext) async throws -> Response {
        let id = try id(context)
        let number = try context.parameters.require("number", as: Int.self)
        try await container.perform { context in
            let remark = Remark(context: context)
            remark.number = number
            remark.page = try context.existingObject(with: id)
            try context.save()
        }
        return Response(status: .noContent)
    }

    private func remove(_ context: BasicRequestContext) async throws -> Response {
        let id = try id(context)
        let number = try context.parameters.require("number", as: Int.self)
        try await container.perform { context in
            let page = try context.existingObject(with: id)
            for remark in page.remarks where remark.number == number { context.delete(remark) }
            try context.save()
        }
        return Response(status: .noContent)
    }
}
