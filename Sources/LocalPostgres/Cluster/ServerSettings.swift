/// The settings of a throw-away server, and the user's on top of them.
struct ServerSettings: Sendable {
    /// Nothing survives a crash of the machine, and nothing must: the cluster dies with its owner.
    static let throwAway: [String: String] = [
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "max_connections": "100",
        "shared_buffers": "32MB",
        // Shared memory in files of the data folder: containers give /dev/shm little room, and a killed server
        // leaves nothing there.
        "dynamic_shared_memory_type": "mmap",
        "timezone": "UTC",
        "log_timezone": "UTC",
    ]

    private static let fixed = ["listen_addresses", "unix_socket_directories", "port", "data_directory"]

    /// What a cluster for development is given: its data must survive a crash.
    static let development = ServerSettings(values: [
        "max_connections": "100", "dynamic_shared_memory_type": "mmap", "timezone": "UTC",
        "log_timezone": "UTC",
    ])

    let values: [String: String]

    private init(values: [String: String]) { self.values = values }

    init(_ custom: [String: String]) throws(LocalPostgresError) {
        self = try Self(values: Self.throwAway).merging(custom)
    }

    /// The settings with others in addition, which win.
    func merging(_ custom: [String: String]) throws(LocalPostgresError) -> ServerSettings {
        for (name, value) in custom {
            guard Self.isName(name), !Self.fixed.contains(name) else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    Self.fixed.contains(name)
                        ? "The private cluster sets \(name) itself. Remove this setting."
                        : "\"\(name)\" is not the name of a setting. Use a name such as work_mem.")
            }
            guard !value.contains(where: { $0.isNewline || $0 == "\0" }) else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "The value of the setting \(name) contains a line break or NUL. Use one line without NUL."
                )
            }
        }
        return ServerSettings(values: values.merging(custom) { $1 })
    }

    /// The server's configuration file: what `initdb` chose, then these settings.
    func file(data: String, socketFolder: String) -> String {
        var own = values
        own["listen_addresses"] = ""
        own["unix_socket_directories"] = "\"" + socketFolder.replacing("\"", with: "\"\"") + "\""
        own["port"] = String(LocalCluster.port)
        let lines =
            ["include " + Self.quoted(data + "/postgresql.conf")]
            + own.sorted { $0.key < $1.key }.map { "\($0.key) = \(Self.quoted($0.value))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A value as the configuration file takes it.
    static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }

    private static func isName(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?/) != nil
    }
}
