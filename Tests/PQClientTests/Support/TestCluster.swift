import LocalPostgres

@testable import PQClient

/// The private PostgreSQL of this test run.
enum TestCluster {
    private static let cluster = Result {
        try LocalCluster.start(settings: ["max_connections": "40", "lc_messages": "C"])
    }

    static func configuration(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws
        -> ConnectionConfiguration
    {
        var configuration = try ConnectionConfiguration(cluster.get().conninfo())
        change(&configuration)
        return configuration
    }

    static func connect(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) throws -> Connection {
        try Connection(configuration(change))
    }
}
