public import Foundation

/// The Unix socket of a server, a pooler or a proxy, and one of its databases.
public struct ServerAddress: Sendable {
    /// An address that is not a connection string as `LocalPostgres` and the helpers in this folder write it.
    public struct Unreadable: Error {}

    /// The folder of the socket: libpq's `host`.
    public var folder: String
    /// The number in the socket's name.
    public var port: Int
    /// The database.
    public var database: String
    /// The role.
    public var user: String
    /// Other parameters of the connection string, such as `options`.
    public var parameters: [URLQueryItem]

    /// Names a socket and a database.
    public init(folder: String, port: Int = 5432, database: String, user: String = "postgres") {
        self.folder = folder
        self.port = port
        self.database = database
        self.user = user
        parameters = []
    }

    /// Reads `postgresql:///database?host=folder&port=5432&user=role`.
    ///
    /// - Throws: ``Unreadable`` if the string names no socket.
    public init(_ url: String) throws {
        guard let parts = URLComponents(string: url), parts.scheme?.hasPrefix("postgres") == true else {
            throw Unreadable()
        }
        let items = parts.queryItems ?? []
        func value(_ name: String) -> String? { items.last { $0.name == name }?.value }
        guard let folder = value("host"), folder.hasPrefix("/") else { throw Unreadable() }
        self.init(
            folder: folder, port: value("port").flatMap { Int($0) } ?? 5432,
            database: String(parts.path.dropFirst()), user: value("user") ?? "postgres")
        parameters = items.filter { !["host", "port", "user"].contains($0.name) }
    }

    /// The path of the socket.
    public var socketPath: String { "\(folder)/.s.PGSQL.\(port)" }

    /// The connection string.
    public var url: String {
        var parts = URLComponents()
        parts.scheme = "postgresql"
        parts.host = ""
        parts.path = "/" + database
        parts.queryItems =
            [
                URLQueryItem(name: "host", value: folder), URLQueryItem(name: "port", value: String(port)),
                URLQueryItem(name: "user", value: user),
            ] + parameters
        return parts.string ?? ""
    }

    /// The same database, role and parameters by way of another socket.
    public func through(_ other: ServerAddress) -> ServerAddress {
        var address = self
        (address.folder, address.port) = (other.folder, other.port)
        return address
    }
}
