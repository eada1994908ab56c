import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Entity final class Article: ManagedObject {
    @Attribute(maximumLength: 80) var title: String
    @Relationship(deleteRule: .cascade, inverse: "article") var remarks: ToMany<Remark>
}

@Entity final class Remark: ManagedObject {
    var text: String
    @Relationship(inverse: "remarks") var article: Article?
}

/// The example of `docs/http.md`, compiled and run with requests and answers of a minimal kind.
@Suite struct HTTPGuideTests {
    private struct Request {
        var parameter: String
        var headers: [String: String] = [:]
        var title = ""
    }

    private struct Response: Equatable {
        var status: Int
        var headers: [String: String] = [:]
        var body = Data()
    }

    // snippet
    /// GET /articles/:id
    private static func show(_ request: Request, _ container: PersistentContainer) async throws -> Response {
        guard let id = container.objectID(Article.self, pathComponent: request.parameter) else {
            return Response(status: 404)
        }
        let (json, version) = try await container.perform { context in
            let article = try context.existingObject(with: id)
            return (try context.encodeGraph(of: [article], keyPaths: ["title"]), article.version)
        }
        return Response(status: 200, headers: ["ETag": version?.entityTag ?? ""], body: json)
    }

    /// GET /articles/:id/page, which has the remarks too
    private static func showPage(_ request: Request, _ container: PersistentContainer) async throws
        -> Response
    {
        guard let id = container.objectID(Article.self, pathComponent: request.parameter) else {
            return Response(status: 404)
        }
        let page = try await container.perform(isolation: .repeatableRead) { context in
            try context.graphDocument(
                of: [context.existingObject(with: id)], keyPaths: ["title", "remarks.*"])
        }
        let tag = page.version?.entityTag ?? ""
        if request.headers["If-None-Match"] == tag { return Response(status: 304) }
        return Response(status: 200, headers: ["ETag": tag], body: page.json)
    }

    /// PUT /articles/:id with If-Match
    private static func update(_ request: Request, _ container: PersistentContainer) async -> Response {
        do {
            guard let id = container.objectID(Article.self, pathComponent: request.parameter) else {
                return Response(status: 404)
            }
            guard let version = ObjectVersion(entityTag: request.headers["If-Match"] ?? "") else {
                return Response(status: 428)  // Precondition Required
            }
            let title = request.title
            let now = try await container.perform { context in
                let article = try context.existingObject(with: id, version: version)
                article.title = title
                try context.save()
                return article.version
            }
            return Response(status: 204, headers: ["ETag": now?.entityTag ?? ""])
        } catch {
            let problem = ProblemDetails(error, hasPrecondition: true)
            return Response(
                status: problem.status, headers: ["Content-Type": ProblemDetails.mediaType],
                body: (try? problem.json()) ?? Data())
        }
    }
    // end

    @Test func theExampleRuns() async throws {
        try await withTemporaryStore(ManagedObjectModel(Article.self, Remark.self)) { container in
            let (id, version) = try await container.perform { context in
                let article = Article(context: context)
                article.title = "One"
                try context.save()
                return (article.objectID, try #require(article.version))
            }
            var request = Request(parameter: id.pathComponent)
            let first = try await Self.showPage(request, container)
            #expect(
                first.status == 200
                    && String(decoding: first.body, as: UTF8.self).contains("\"title\":\"One\""))
            request.headers = ["If-None-Match": try #require(first.headers["ETag"])]
            #expect(try await Self.showPage(request, container).status == 304)
            try await container.perform { context in
                let remark = Remark(context: context)
                remark.text = "Good"
                remark.article = try context.existingObject(with: id)
                try context.save()
            }
            #expect(try await Self.showPage(request, container).status == 200)
            let shown = try await Self.show(request, container)
            #expect(shown.headers["ETag"] == version.entityTag)

            request = Request(
                parameter: id.pathComponent, headers: ["If-Match": version.entityTag], title: "Two")
            #expect(await Self.update(request, container).status == 204)
            request.title = "Three"
            let stale = await Self.update(request, container)
            #expect(stale.status == 412 && stale.headers["Content-Type"] == "application/problem+json")
            #expect(String(decoding: stale.body, as: UTF8.self).contains("\"pointer\":\"/title\""))
            request.parameter = "Remark-p1"
            #expect(await Self.update(request, container).status == 404)
            request.parameter = "Article-p999"
            #expect(await Self.update(request, container).status == 404)
            request = Request(parameter: id.pathComponent, title: "x")
            #expect(await Self.update(request, container).status == 428)
            let now = try await container.perform { try $0.existingObject(with: id).version }
            request.headers = ["If-Match": try #require(now).entityTag]
            request.title = String(repeating: "x", count: 81)
            let tooLong = await Self.update(request, container)
            #expect(tooLong.status == 422 && String(decoding: tooLong.body, as: UTF8.self).contains("/title"))
        }
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(contentsOf: Repository.root.appending(path: "docs/http.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map {
            $0.dropFirst(4).replacing("private static func", with: "func")
        }.joined(separator: "\n")
        #expect(guide.contains("```swift\n" + example + "\n```"))
    }
}
