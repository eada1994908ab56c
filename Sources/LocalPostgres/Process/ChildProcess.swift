#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A child in a process group of its own, so that a Ctrl-C at the terminal does not reach it.
struct ChildProcess: Sendable {
    let identifier: pid_t

    /// Starts an executable with exactly the given environment and descriptors (child's number: ours).
    ///
    /// Signals start at their defaults and unblocked, whatever the host application did with them.
    init(
        _ arguments: [String], environment: [String: String], descriptors: [(child: Int32, ours: Int32)]
    ) throws(LocalPostgresError) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor in descriptors {
            posix_spawn_file_actions_adddup2(&actions, descriptor.ours, descriptor.child)
        }
        #if !canImport(Darwin)
        // Numbers that are not open are passed over. The system gives out the lowest ones, so that those that are opened between
        // the look and the start are among these.
        let open = Self.inheritable
        let closed = Set(open).union(3...Int32(open.count + 256))
        for descriptor in closed where !descriptors.contains(where: { $0.child == descriptor }) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK)
        flags |= Int32(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Darwin)
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var identifier = pid_t()
        let code = posix_spawn(&identifier, arguments[0], &actions, &attributes, argv, envp)
        guard code == 0 else {
            throw SystemCall.failure(
                "Cannot start \(arguments[0])", code, denied: "Check the permissions of the program.")
        }
        self.identifier = identifier
    }

    /// The host's other descriptors. A server that outlives this process would hold them open, and who waits for
    /// their end (as Foundation's `Process` does for its children's) would wait as long as the server lives.
    private static var inheritable: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var descriptors: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name), descriptor > 2 { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// Blocks until the child has ended and gives its exit status: 128 + n after signal n, nil if the host
    /// application already collected it.
    @discardableResult
    func wait() -> Int32? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            if errno != EINTR { return nil }
        }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// What the child printed on its standard output, or nil unless it ended with status 0.
    static func output(of arguments: [String], environment: [String: String]) -> String? {
        guard let (reading, writing) = try? UnixSocket.pair() else { return nil }
        defer { reading.close() }
        let child = try? ChildProcess(
            arguments, environment: environment, descriptors: [(child: 1, ours: writing.descriptor)])
        writing.close()
        guard let child else { return nil }
        var bytes: [UInt8] = []
        while case let block = reading.receive(), !block.isEmpty { bytes += block }
        return child.wait() == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
