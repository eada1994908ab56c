#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Our side of the process that runs the server and clears up after it.
struct Watchdog: Sendable {
    private let process: ChildProcess
    private let line: UnixSocket

    /// Makes the data and then starts the server in the folder; returns at once.
    init(
        folder: ClusterFolder, installation: PostgresInstallation, account: ServerAccount?,
        source: DataSource
    ) throws(LocalPostgresError) {
        let log = try folder.openLog()
        defer { _ = close(log) }
        let (ours, child) = try UnixSocket.pair()
        do {
            process = try ChildProcess(
                ["/bin/sh", folder.scriptPath, folder.path, LocalCluster.user, installation.folder]
                    + source.arguments + (account?.launcher ?? []),
                environment: SystemEnvironment.forServer,
                descriptors: [
                    (child: 0, ours: child.descriptor), (child: 1, ours: log), (child: 2, ours: log),
                    (child: 3, ours: folder.lock),
                ])
            child.close()
            line = ours
        } catch {
            ours.close()
            child.close()
            throw error
        }
    }

    /// Whether the server has ended, asked for a while; an answer of true comes without delay.
    func hasEnded(within duration: Duration) -> Bool {
        line.waitForInput(until: .now + duration)
    }

    /// Ends the server, keeps its folder, and blocks until the server's main process is gone.
    func stopServer(_ mode: LocalCluster.StopMode, patience: Duration) {
        var waits: [(mode: LocalCluster.StopMode, patience: Duration)] = [(mode, patience)]
        waits += [(.immediate, .seconds(20)), (.kill, .seconds(20))]
        for wait in waits {
            line.send(Array("\(wait.mode.description)\n".utf8))
            if line.waitForInput(until: .now + wait.patience) { break }
        }
        takeReport()
    }

    /// Starts the server again after its end was taken note of; returns at once.
    func startServer() { line.send(Array("start\n".utf8)) }

    /// Takes note of the server's end, after ``hasEnded(within:)``.
    func takeReport() { _ = line.receive() }

    /// Ends the server and blocks until its processes and its folder are gone. A server that does not end in
    /// the given time is ended immediately, and one that ignores this too is killed.
    func end(_ mode: LocalCluster.StopMode, patience: Duration) {
        if mode != .immediate {
            line.send(Array("\(mode.description)\n".utf8))
            _ = line.waitForInput(until: .now + patience)
        }
        line.endSending()
        if !line.waitForEnd(until: .now + .seconds(20)) { kill(-process.identifier, SIGKILL) }
        line.close()
        process.wait()
    }

    /// What ``end(_:patience:)`` does immediately, for all of them together and without collecting the processes.
    static func abandon(_ watchdogs: some Collection<Watchdog>) {
        for watchdog in watchdogs { watchdog.line.endSending() }
        let deadline = ContinuousClock.now + .seconds(10)
        for watchdog in watchdogs { _ = watchdog.line.waitForEnd(until: deadline) }
    }
}
