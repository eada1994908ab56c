import Foundation
import Synchronization
import Testing

@testable import PQClient

/// What sessions are set to, and who may say otherwise.
@Suite struct SessionSettingTests {
    private static func jit(_ options: String?) throws -> String? {
        let connection = try TestCluster.connect { $0["options"] = options }
        return try connection.query("SHOW jit").scalar { $0.string() }
    }

    @Test func nothingIsCompiledUnlessTheCallerSaysSo() throws {
        #expect(try Self.jit(nil) == "off")
        #expect(try Self.jit("-c jit=on") == "on")
        #expect(try Self.jit("--jit=on -c work_mem=8MB") == "on")
        let connection = try TestCluster.connect { $0["options"] = "-c work_mem=9MB" }
        #expect(try connection.query("SHOW work_mem").scalar { $0.string() } == "9MB")
        #expect(try connection.query("SHOW jit").scalar { $0.string() } == "off")
    }

    @Test func theConnectionStringWinsOverTheEnvironment() throws {
        var configuration = try ConnectionConfiguration("host=a")
        #expect(configuration.sessionOptions(environment: nil) == "-c jit=off")
        #expect(configuration.sessionOptions(environment: "") == "-c jit=off")
        #expect(configuration.sessionOptions(environment: "-c geqo=off") == "-c jit=off -c geqo=off")
        #expect(configuration.sessionOptions(environment: "-c jit=on") == "-c jit=on")
        configuration = try ConnectionConfiguration("postgres://a/b?options=-c%20jit%3Don")
        #expect(configuration.sessionOptions(environment: "-c geqo=off") == "-c jit=on")
        #expect(configuration.attempts().map { $0["options"] } == ["-c jit=on"])
        configuration = try ConnectionConfiguration("host=a,b options='-c geqo=off'")
        #expect(configuration.attempts().allSatisfy { $0["options"] == "-c jit=off -c geqo=off" })
    }

    @Test func aPoolerThatTakesNoSettingsIsAskedWithout() throws {
        let pooler = try FussyPooler()
        defer { pooler.close() }
        var configuration = try ConnectionConfiguration("host=\(pooler.directory) user=u dbname=d")
        let connection = try Connection(configuration)
        #expect(connection.isUsable && connection.serverVersion == 150_001)
        connection.close()
        let greetings = pooler.greetings.withLock { $0 }
        #expect(greetings.map { $0.contains("jit=off") } == [true, false])
        // What the caller wants is not left out.
        configuration["options"] = "-c jit=on"
        let error = try #require(throws: PostgresError.self) { try Connection(configuration) }
        #expect(error.message.contains("startup parameter"))
        #expect(pooler.greetings.withLock { $0.count } == 3)
    }
}
