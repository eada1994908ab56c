import LocalPostgres

@testable import PQClient

/// The private PostgreSQL of this test run.
enum TestCluster {
    private static let cluster = Result {
        try LocalCluster.start(settings: ["max_connections": "40", "lc_messages": "C"])
    }

    static func url() throws -> String { try cluster.get().conninfo() }

    static func configuration(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws
        -> ConnectionConfiguration
    {
        var configuration = try ConnectionConfiguration(url())
        change(&configuration)
        return configuration
    }

    static func connect(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws -> Connection {
        try Connection(configuration(change))
    }
}
