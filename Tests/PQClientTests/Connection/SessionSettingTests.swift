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
        let settings = ConnectionConfiguration.settings
        var configuration = try ConnectionConfiguration("host=a")
        #expect(configuration.sessionOptions(environment: nil) == settings)
        #expect(configuration.sessionOptions(environment: "") == settings)
        #expect(configuration.sessionOptions(environment: "-c geqo=off") == settings + " -c geqo=off")
        configuration = try ConnectionConfiguration("postgres://a/b?options=-c%20jit%3Don")
        #expect(configuration.sessionOptions(environment: "-c geqo=off") == settings + " -c jit=on")
        configuration = try ConnectionConfiguration("host=a,b options='-c geqo=off'")
        #expect(configuration.attempts().allSatisfy { $0["options"] == settings + " -c geqo=off" })
    }

    @Test func settingsOfTheRoleDoNotCount() throws {
        let owner = try TestCluster.connect()
        let role = "settled_\(UInt32.random(in: 0 ... .max))"
        _ = try owner.query("CREATE ROLE \(role) LOGIN SUPERUSER", cached: false)
        defer { _ = try? owner.query("DROP ROLE \(role)", cached: false) }
        let worst = [
            "statement_timeout": "1", "lock_timeout": "1", "idle_in_transaction_session_timeout": "1",
            "row_security": "off", "default_transaction_isolation": "serializable",
            "default_transaction_read_only": "on", "default_transaction_deferrable": "on", "jit": "on",
            "session_replication_role": "replica", "extra_float_digits": "-15",
            "standard_conforming_strings": "off", "howdah.save": "on",
        ]
        for (name, value) in worst {
            _ = try owner.query("ALTER ROLE \(role) SET \(name) = '\(value)'", cached: false)
        }
        func settings(_ connection: Connection) throws -> [String?] {
            try worst.keys.sorted().map { name in
                try connection.query("SELECT pg_catalog.current_setting('\(name)')", cached: false)
                    .scalar { $0.string() }
            }
        }
        let expected = [
            "off", "read committed", "off", "1", "off", "0", "off", "0", "on", "origin", "on", "0",
        ]
        let connection = try TestCluster.connect { $0["user"] = role }
        #expect(try settings(connection) == expected)
        connection.mayBeChanged = true
        connection.clean()
        #expect(connection.isUsable)
        #expect(try settings(connection) == expected)
        // What the caller asks for counts.
        let other = try TestCluster.connect {
            $0["user"] = role
            $0["options"] = "-c statement_timeout=7s"
        }
        #expect(try other.query("SHOW statement_timeout").scalar { $0.string() } == "7s")
        other.close()
        connection.close()

        _ = try owner.query("ALTER ROLE \(role) NOSUPERUSER", cached: false)
        let error = #expect(throws: PostgresError.self) { try TestCluster.connect { $0["user"] = role } }
        #expect(error?.message.contains("RESET session_replication_role") == true, "\(error as Any)")
    }

    @Test func aPoolerThatTakesNoSettingsIsAskedWithout() throws {
        let pooler = try FussyPooler()
        defer { pooler.close() }
        var configuration = try ConnectionConfiguration("host=\(pooler.directory) user=u dbname=d")
        // It cannot answer the question whether it is one.
        configuration.pooler = .session
        let connection = try Connection(configuration)
        #expect(connection.isUsable && connection.serverVersion == 150_001)
        connection.close()
        let greetings = pooler.greetings.withLock { $0 }
        #expect(greetings.map { $0.contains("jit=off") } == [true, false])
        // What the caller wants is not left out.
        configuration["options"] = "-c jit=on"
        let error = try #require(throws: PostgresError.self) { try Connection(configuration) }
        #expect(error.message.contains("startup parameter"))
        #expect(pooler.greetings.withLock { $0.count } == 4)
    }
}
