extension LocalCluster {
    /// A libpq URL for a database of this cluster, as the superuser.
    public func url(database: String = "postgres") -> String {
        Self.url(database: database, socketFolder: folder.socketFolder)
    }

    static func url(database: String, socketFolder: String) -> String {
        "postgresql:///\(escaped(database))?host=\(escaped(socketFolder))&port=\(port)&user=\(user)"
    }

    /// Returns a libpq URL that lists the sockets of several clusters.
    package static func url(
        database: String, clusters: [LocalCluster], keywords: [String: String]
    ) -> String {
        let hosts = clusters.map(\.folder.socketFolder).joined(separator: ",")
        let ports = clusters.map { _ in String(port) }.joined(separator: ",")
        let rest = keywords.sorted { $0.key < $1.key }.map { "&\($0.key)=\(escaped($0.value))" }
        return "postgresql:///\(escaped(database))?host=\(escaped(hosts))&port=\(ports)&user=\(user)"
            + rest.joined()
    }

    /// The same as ``url(database:)`` in libpq's `keyword=value` form.
    public func conninfo(database: String = "postgres") -> String {
        "host=\(Self.quoted(folder.socketFolder)) port=\(Self.port) dbname=\(Self.quoted(database)) user=\(Self.user)"
    }

    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.reduce(into: "") { result, byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80, scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar)
            {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    private static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
