import Foundation
import Howdah
import Hummingbird

/// `/projects`
struct ProjectRoutes {
    let container: PersistentContainer

    struct New: Decodable {
        let key: String
        let title: String
    }

    struct Patch: Decodable {
        let title: String
    }

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("projects", use: list).post("projects", use: create)
            .get("projects/:key", use: show).patch("projects/:key", use: update)
            .delete("projects/:key", use: delete)
    }

    @Sendable private func list(_ request: Request, _ context: AppContext) async throws -> Response {
        let team = try context.user.team
        return try .json(
            try await container.perform { context in
                let projects = try context.fetch(
                    Project.self, where: #Predicate { $0.team?.objectID == team }, sortedBy: .ascending(\.key)
                )
                return Page(items: projects.map(ProjectDocument.init))
            })
    }

    @Sendable private func create(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, body) = (try context.user, try await request.document(New.self))
        let (document, version) = try await container.perform { context in
            let project = Project(
                key: body.key, title: body.title, team: try context.existingObject(with: user.team),
                context: context)
            try context.save()
            return (ProjectDocument(project), project.version)
        }
        return try .json(
            document, status: .created, version: version, headers: [.location: "/projects/\(body.key)"])
    }

    @Sendable private func show(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key) = (try context.user, try context.text("key"))
        let (document, version) = try await container.perform { context in
            let project = try context.project(key, for: user)
            return (ProjectDocument(project), project.version)
        }
        // No 304: the number of issues is derived, and changes without the version.
        return try .json(document, version: version)
    }

    @Sendable private func update(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key, version) = (try context.user, try context.text("key"), try request.requiredVersion())
        let body = try await request.document(Patch.self)
        let (document, now) = try await container.perform(retrying: .unless(version)) { context in
            let project = try context.project(key, for: user, version: version)
            project.title = body.title
            try context.save()
            return (ProjectDocument(project), project.version)
        }
        return try .json(document, version: now)
    }

    @Sendable private func delete(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key, version) = (try context.user, try context.text("key"), try request.expectedVersion())
        if try request.isPreview() {
            return try .json(
                try await container.perform { context in
                    DeletionDocument(try context.previewDelete(context.project(key, for: user)))
                })
        }
        try await container.perform(isolation: .readCommitted, retrying: .unless(version)) { context in
            // The lock lets new issues wait, whose numbers would change the project meanwhile.
            context.delete(try context.project(key, for: user, isLocked: true, version: version))
            try context.save()
        }
        return .noContent()
    }
}
