import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A private PgBouncer in front of a server's Unix socket. It ends with ``stop()``, with the last reference, and with the
/// process, however that ends.
///
/// A database's name is passed through, so one PgBouncer serves all databases of the server. A shell waits for the end
/// of a line that only this process holds, ends PgBouncer then, and removes its folder. The program is looked for on
/// the search path and in `/usr/sbin`.
public final class PgBouncer: Sendable {
    /// PgBouncer's setting `pool_mode`.
    public enum PoolMode: String, Sendable { case transaction, session }

    /// Settings of one PgBouncer.
    public struct Options: Sendable {
        /// When a client's server session goes to the next client.
        public var poolMode = PoolMode.transaction
        /// The number of server sessions per database.
        public var poolSize = 3
        /// Startup parameters that are ignored instead of refused; none by default, as in production.
        public var ignoredStartupParameters: [String] = []
        /// A TCP port on 127.0.0.1 to listen on as well.
        public var loopbackPort: Int?
        /// Further lines of the section `[pgbouncer]`.
        public var settings: [String: String] = [:]

        /// Transaction mode with three sessions.
        public init() {}
    }

    /// PgBouncer could not be started; the text ends with its log.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason.
        public let description: String
    }

    /// The program; nil if it is not installed.
    public static let program: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(
            String.init)
        return (folders + ["/usr/sbin"]).map { $0 + "/pgbouncer" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Indicates whether tests that need PgBouncer run: if it is installed, and always in CI, where it has to be.
    public static var isExpected: Bool {
        program != nil || TestTier.current != .quick || ProcessInfo.processInfo.environment["CI"] != nil
    }

    /// The reason that a skipped test gives.
    public static let absence = "pgbouncer is not installed; scripts/setup installs it"

    /// The port in the name of the socket, and on the loopback interface if that is used.
    private let port: Int
    private let server: ServerAddress
    private let folder: URL
    private let watchdog: Mutex<(process: Process, line: FileHandle)?>

    /// Starts PgBouncer in front of a server and waits until it accepts connections.
    ///
    /// - Parameter url: a connection string of any database of the server.
    public init(_ url: String, options: Options = Options()) throws {
        guard let program = Self.program else { throw Failure(description: Self.absence) }
        server = try ServerAddress(url)
        port = options.loopbackPort ?? 6432
        let account = try PoolerAccount.current()
        folder = try account.makeFolder()
        let path = folder.path(percentEncoded: false)
        do {
            let file = Self.configuration(server, options, folder: path, port: port)
            try file.write(toFile: path + "/pgbouncer.ini", atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: path + "/pgbouncer.ini")
            let arguments = account.launcher + [program, "-q", path + "/pgbouncer.ini"]
            watchdog = Mutex(try Self.start(arguments, folder: path))
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        try waitUntilReady()
    }

    deinit { stop() }

    /// The connection string of a database behind the pooler.
    public func url(database: String) -> String {
        address(ServerAddress(folder: server.folder, database: database, user: server.user)).url
    }

    /// The connection string through the pooler for one that leads to its server; others are returned as they are.
    public func url(through url: String) -> String {
        guard let direct = try? ServerAddress(url), direct.socketPath == server.socketPath else { return url }
        return address(direct).url
    }

    /// The connection string to the server for one that leads to the pooler; others are returned as they are.
    public func directURL(of url: String) -> String {
        guard let pooled = try? ServerAddress(url), pooled.folder == socketFolder else { return url }
        return pooled.through(server).url
    }

    /// The connection string of PgBouncer's own console, for `SHOW POOLS`.
    public var consoleURL: String {
        ServerAddress(folder: socketFolder, port: port, database: "pgbouncer", user: "pgbouncer").url
    }

    /// The end of what PgBouncer has logged.
    public func logTail(lines: Int = 20) -> String {
        let text = try? String(contentsOfFile: socketFolder + "/log", encoding: .utf8)
        return (text ?? "").split(separator: "\n").suffix(lines).joined(separator: "\n")
    }

    /// Ends PgBouncer and its connections, and removes its folder; does nothing the second time.
    public func stop() {
        let running = watchdog.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        try? running.line.close()
        running.process.waitForEnd()
    }

    private var socketFolder: String { folder.path(percentEncoded: false) }

    private func address(_ direct: ServerAddress) -> ServerAddress {
        direct.through(ServerAddress(folder: socketFolder, port: port, database: ""))
    }

    private func waitUntilReady() throws {
        let socket = socketFolder + "/.s.PGSQL.\(port)"
        for _ in 0..<12_000 {
            if let descriptor = UnixStream.connect(to: socket) {
                UnixStream.close(descriptor)
                return
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        let log = logTail()
        stop()
        throw Failure(description: "PgBouncer did not start. The end of its log:\n\(log)")
    }

    private static func start(_ arguments: [String], folder: String) throws -> (Process, FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, "pgbouncer", folder] + arguments
        let line = Pipe()
        process.standardInput = line
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // Other children of this process must not hold the line open.
        _ = fcntl(line.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        // Threads of libdispatch block signals, and a shell that does not get SIGCHLD waits for ever.
        var (none, own) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &own)
        defer { pthread_sigmask(SIG_SETMASK, &own, nil) }
        try process.run()
        try? line.fileHandleForReading.close()
        return (process, line.fileHandleForWriting)
    }

    /// The watchdog; standard input is the line to this process.
    private static let script = """
        trap '' HUP INT TERM PIPE
        folder=$1
        shift
        "$@" </dev/null >"$folder/log" 2>&1 &
        pooler=$!
        while read -r line; do :; done
        kill -s KILL "$pooler"
        wait "$pooler"
        rm -rf "$folder"
        """

    private static func configuration(
        _ server: ServerAddress, _ options: Options, folder: String, port: Int
    ) -> String {
        var settings = [
            "pool_mode": options.poolMode.rawValue, "default_pool_size": String(options.poolSize),
            "max_client_conn": "500", "auth_type": "any", "admin_users": "pgbouncer",
            "unix_socket_dir": folder, "listen_port": String(port),
            "ignore_startup_parameters": options.ignoredStartupParameters.joined(separator: ","),
        ]
        if options.loopbackPort != nil { settings["listen_addr"] = "127.0.0.1" }
        settings.merge(options.settings) { $1 }
        let lines = settings.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map { "\($0) = \($1)" }
        return """
            [databases]
            * = host=\(server.folder) port=\(server.port) user=\(server.user)
            [pgbouncer]
            \(lines.joined(separator: "\n"))

            """
    }
}
