import Foundation
import PQClient
import Testing

/// The example of the module's page, compiled and run.
@Suite struct GuideTests {
    @Test func theExampleWorks() async throws {
        let url = try TestCluster.url()
        let setup = try Connection(ConnectionConfiguration(url))
        defer { setup.close() }
        try setup.executeScript(
            "DROP TABLE IF EXISTS part; CREATE TABLE part (id bigint, name text); "
                + "INSERT INTO part VALUES (1, 'nut'), (2, 'bolt')")
        // snippet
        let pool = ConnectionPool(
            configuration: try ConnectionConfiguration(url), maximumConnections: 4)
        let parts = try await pool.withConnection(timeout: .seconds(5)) { connection in
            connection.deadline = .now + .seconds(2)
            var parameters = Parameters()
            try parameters.append("bolt")
            let result = try connection.query(
                "SELECT id, name FROM part WHERE name = $1", parameters)
            try result.require([.int8, .text])
            return result.map { (id: $0[0].int64, name: $0[1].string()) }
        }
        // end
        // A body that throws gives its connection back, too.
        for _ in 0..<6 {
            await #expect(throws: PostgresError.self) {
                try await pool.withConnection(timeout: .seconds(1)) { _ = try $0.query("SELECT 1/0") }
            }
        }
        #expect(pool.status.leased == 0)
        #expect(parts.map(\.id) == [2] && parts.map(\.name) == ["bolt"])
        await pool.close(drainingFor: .seconds(1))
    }

    @Test func thePageHasTheExample() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = try String(
            contentsOf: root.appending(path: "Sources/PQClient/PQClient.docc/PQClient.md"), encoding: .utf8)
        let lines = try String(contentsOfFile: #filePath, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(8) }.joined(separator: "\n")
        #expect(page.contains("```swift\n" + example + "\n```"))
    }
}
