import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The folder of one cluster: `data`, the socket folder `s`, the settings, the log and the lock.
///
/// The lock is shared by the owner, the watchdog and every server process, because they all inherit it. So
/// a lock that can be taken proves that nothing of that cluster is alive, also across containers that share
/// the folder; process numbers could not prove this.
struct ClusterFolder: Sendable {
    static let prefix = "howdah-pg-"

    let path: String
    /// An open, locked descriptor.
    let lock: Int32

    var dataPath: String { path + "/data" }
    var socketFolder: String { path + "/s" }
    var socketPath: String { socketFolder + "/.s.PGSQL.\(LocalCluster.port)" }
    var logPath: String { path + "/log" }
    var scriptPath: String { path + "/watchdog" }
    var settingsPath: String { path + "/server.conf" }

    /// Makes a folder with a name of its own inside `parent`, which is made too where it is missing.
    init(in parent: String, settings: ServerSettings, account: ServerAccount?) throws(LocalPostgresError) {
        path = parent + "/" + Self.prefix + String(UInt32.random(in: .min ... .max), radix: 36)
        let socketLength = "\(path)/s/.s.PGSQL.\(LocalCluster.port)".utf8.count
        guard socketLength < UnixSocket.pathCapacity else {
            throw LocalPostgresError(
                .invalidConfiguration,
                "The path of the socket in \(parent) has \(socketLength) bytes, and the system's limit is "
                    + "\(UnixSocket.pathCapacity - 1). Choose a folder with a shorter path, such as /tmp.")
        }
        try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        let path = path
        // The server's account must get through to its own two folders; those are closed to others.
        try SystemCall.check("Cannot create the folder \(path)") {
            // What umask takes from the rights of a new folder is given again.
            mkdir(path, 0o700) == 0 ? chmod(path, account == nil ? 0o700 : 0o711) : -1
        }
        do {
            lock = try Self.takeLock(path)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        do {
            for folder in [dataPath, socketFolder] {
                try SystemCall.check("Cannot create the folder \(folder)") { mkdir(folder, 0o700) }
                guard let account else { continue }
                try SystemCall.check("Cannot change the owner of \(folder) to \(account.name)") {
                    chown(folder, account.user, account.group)
                }
            }
            try place(settings)
            try Self.place(WatchdogScript.text, at: scriptPath)
        } catch {
            remove()
            throw error
        }
    }

    /// Writes the settings of the server, which reads them when it starts or reloads them.
    func place(_ settings: ServerSettings) throws(LocalPostgresError) {
        try Self.place(settings.file(data: dataPath, socketFolder: socketFolder), at: settingsPath)
    }

    /// Makes a standby of the server from its next start on.
    func markAsStandby(_ account: ServerAccount?) throws(LocalPostgresError) {
        let path = dataPath + "/standby.signal"
        try Self.place("", at: path)
        guard let account else { return }
        try SystemCall.check("Cannot change the owner of \(path) to \(account.name)") {
            chown(path, account.user, account.group)
        }
    }

    /// Everyone may read what is written here: the server's account must, and nothing in it is secret.
    private static func place(_ text: String, at path: String) throws(LocalPostgresError) {
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o644]
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: attributes)
        guard isWritten else {
            throw LocalPostgresError(.system, "Cannot write \(path). Choose a folder in which you may write.")
        }
    }

    private static func takeLock(_ path: String) throws(LocalPostgresError) -> Int32 {
        let raw = try SystemCall.check("Cannot create the lock file in \(path)") {
            open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        }
        let lock = try SystemCall.raised(raw)
        try SystemCall.check("Cannot lock \(path)") { flock(lock, LOCK_EX) }
        // Content marks the lock as taken once: a sweep that comes before this line leaves the folder alone.
        let text = Array("\(getpid())\n".utf8)
        _ = write(lock, text, text.count)
        return lock
    }

    /// Opens the log for a child to write.
    func openLog() throws(LocalPostgresError) -> Int32 {
        let raw = try SystemCall.check("Cannot create the log \(logPath)") {
            open(logPath, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0o600)
        }
        return try SystemCall.raised(raw)
    }

    /// The end of what `initdb` and the server have printed.
    func logTail(lines: Int) -> String {
        let all = log(from: 0).split(separator: "\n", omittingEmptySubsequences: false)
        return all.suffix(lines).joined(separator: "\n")
    }

    /// The number of bytes that `initdb` and the server have printed.
    var logLength: Int {
        var status = stat()
        return stat(logPath, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the output of `initdb` and the server after its first `length` bytes.
    func log(from length: Int) -> String {
        guard let data = FileManager.default.contents(atPath: logPath) else { return "" }
        return String(decoding: data.dropFirst(length), as: UTF8.self)
    }

    /// Deletes what the watchdog has left of the folder (normally nothing) and lets go of the lock.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
        _ = close(lock)
    }

    /// Deletes folders in `parent` that belong to this user and of whose cluster nothing is alive.
    ///
    /// A folder without a lock that was taken is just being made, or its maker was killed in that moment: it is left
    /// alone until it is `patience` old.
    static func sweep(_ parent: String, patience: Duration = .seconds(60)) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = "\(parent)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFDIR
            else { continue }
            let isStale = Self.age(of: status) >= patience
            let lock = open(path + "/lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC)
            if lock < 0 {
                if errno == ENOENT, isStale { try? FileManager.default.removeItem(atPath: path) }
                continue
            }
            defer { _ = close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0, fstat(lock, &status) == 0,
                status.st_size > 0 || isStale
            else { continue }
            // The lock goes last, so that a sweep that is cut short can be taken up again.
            try? FileManager.default.removeItem(atPath: path + "/data")
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private static func age(of status: stat) -> Duration {
        #if canImport(Darwin)
        let made = status.st_mtimespec
        #else
        let made = status.st_mtim
        #endif
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return .seconds(now.tv_sec - made.tv_sec) + .nanoseconds(now.tv_nsec - made.tv_nsec)
    }
}
