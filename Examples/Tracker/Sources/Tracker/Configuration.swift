import Foundation

/// The settings of a server, from the environment.
struct Configuration: Sendable {
    /// `HOST`, `PORT`: the address to listen on.
    var host = "127.0.0.1"
    var port = 8080
    /// `TRACKER_SECRET`: the key that signs the tokens of logins, the same for all servers.
    var secret = ""
    /// `TRACKER_ADMINISTRATORS`: the logins, separated by commas, that may see the store at `/admin`.
    var administrators: Set<String> = []
    /// `TRACKER_WORKERS`: the number of jobs that this process works on at one time.
    var workers = 1
    /// `TRACKER_NOTICE`: the time in seconds between "not ready" and the end of the server, for the balancer.
    var notice: Duration = .seconds(1)
    /// `TRACKER_PATIENCE`: the time in seconds after which a client that does not read its stream is disconnected.
    var patience: Duration = .seconds(20)

    init(_ environment: [String: String] = [:]) throws {
        host = environment["HOST"] ?? host
        port = try Self.number("PORT", in: environment) ?? port
        guard port <= UInt16.max else {
            throw ConfigurationError("PORT is not a port. Set it to a number from 0 to 65535.")
        }
        administrators = Set(
            (environment["TRACKER_ADMINISTRATORS"] ?? "").split(separator: ",").map(String.init))
        workers = try Self.number("TRACKER_WORKERS", in: environment) ?? workers
        notice = try Self.number("TRACKER_NOTICE", in: environment).map { .seconds($0) } ?? notice
        patience = try Self.number("TRACKER_PATIENCE", in: environment).map { .seconds($0) } ?? patience
        secret = environment["TRACKER_SECRET"] ?? secret
    }

    private static func number(_ name: String, in environment: [String: String]) throws -> Int? {
        guard let text = environment[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw ConfigurationError("\(name) is not a number. Set it to a whole number, 0 or more.")
        }
        return number
    }
}

/// A setting that the server cannot use.
struct ConfigurationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
