import Foundation
import Howdah
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Tracker

typealias Send = @Sendable (HTTPRequest.Method, String, String?) async throws -> Int

/// The router in this process, with the data of `Tracker seed`. It sends requests as Ada, and returns their statuses.
func withRouter(_ body: @escaping @Sendable (Send, PersistentContainer) async throws -> Void) async throws {
    try await withSeed { _, container in
        let ada = try await container.perform { context in
            let ada = try context.fetch(User.self, where: #Predicate { $0.login == "ada" })[0]
            let team = try #require(ada.team)
            return Principal(user: ada.objectID.typed(), team: team.objectID.typed())
        }
        let token = try await Tokens(secret: ServerProcess.secret).token(for: ada)
        try await Application(router: routerUnderTest(of: container)).test(.router) { client in
            try await body(
                { method, path, text in
                    let headers: HTTPFields = [.authorization: "Bearer \(token)"]
                    return try await client.execute(
                        uri: path, method: method, headers: headers,
                        body: text.map { ByteBuffer(string: $0) }
                    ) { $0.status.code }
                }, container)
        }
    }
}

func routerUnderTest(of container: PersistentContainer) async throws -> Router<AppContext> {
    var configuration = try Configuration()
    configuration.secret = ServerProcess.secret
    let boards = Boards(container)
    return try await TrackerApp.router(
        configuration, container, boards, Draining(notice: .zero, boards: boards))
}
