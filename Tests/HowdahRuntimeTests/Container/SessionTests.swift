import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// What a container's sessions are set to.
@Suite(.needsSession) struct SessionTests {
    private static func jit(_ url: String) async throws -> String? {
        let container = try await PersistentContainer.open(url, model: Company.model())
        let found = try await container.perform { try $0.fetchRows(String.self, sql: "SHOW jit") }
        await container.close(drainingFor: .seconds(5))
        return found.first
    }

    @Test func nothingIsCompiledUnlessTheURLSaysSo() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let usual = try await Self.jit(database.url)
            let asked = try await Self.jit(database.url + "&options=-c%20jit%3Don")
            #expect(usual == "off" && asked == "on")
        }
    }
}
