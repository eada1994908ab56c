import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LocalCluster {
    /// Ends the server and keeps the cluster's folder, for ``startServer()``; does nothing if it has ended.
    ///
    /// Blocks until the server has ended. With ``StopMode/immediate`` and ``StopMode/kill`` it recovers from its
    /// log at the next start, as after a crash. Safe from any thread.
    public func stopServer(_ mode: StopMode = .fast) {
        state.withLock { state in
            guard let running = state, running.isRunning else { return }
            running.watchdog.stopServer(mode, patience: options.stopTimeout)
            state?.isRunning = false
        }
    }

    /// Starts the server again after ``stopServer(_:)``, or after it was killed; does nothing if it runs.
    ///
    /// Blocks until it takes sessions. Safe from any thread.
    ///
    /// - Throws: ``LocalPostgresError`` with `startFailed`, `startTimedOut`, or `invalidConfiguration` after
    ///   ``stop(_:)``.
    public func startServer() throws(LocalPostgresError) {
        try state.withLock { state throws(LocalPostgresError) in
            guard let watchdog = state?.watchdog else {
                throw LocalPostgresError(
                    .invalidConfiguration,
                    "The cluster was stopped, and its folder is deleted. Start a new cluster.")
            }
            if state?.isRunning == true {
                // A server that somebody ended gives no session a moment before its end is reported. Nor does one that
                // recovers.
                let end = ContinuousClock.now + .seconds(10)
                while !ServerProbe.answers(socket: folder.socketPath, user: Self.user),
                    ContinuousClock.now < end,
                    !watchdog.hasEnded(within: .milliseconds(10))
                {}
                guard watchdog.hasEnded(within: .zero) else { return }
                watchdog.takeReport()
            }
            let deadline = ContinuousClock.now + options.startTimeout
            while true {
                state?.isRunning = true
                let printed = folder.logLength
                watchdog.startServer()
                do throws(LocalPostgresError) {
                    return try Self.waitUntilReady(folder, watchdog, timeout: options.startTimeout)
                } catch {
                    guard error.code == .startFailed else { throw error }
                    watchdog.takeReport()
                    state?.isRunning = false
                    // The sessions of a killed server end by themselves, some milliseconds later, and print lines
                    // of their own.
                    let isOccupied = folder.log(from: printed).contains("pre-existing shared memory block")
                    guard isOccupied, ContinuousClock.now < deadline else { throw error }
                    Thread.sleep(forTimeInterval: 0.05)
                }
            }
        }
    }

    /// Kills a process of the server with SIGKILL.
    package func killProcess(_ process: Int32) { _ = kill(process, SIGKILL) }

    /// Changes settings of the server in addition to those that it has.
    ///
    /// They apply from the next start of the server. Those that need no restart apply after
    /// `SELECT pg_reload_conf()`.
    ///
    /// - Throws: ``LocalPostgresError`` with `invalidConfiguration` for a setting that the cluster sets itself,
    ///   or `system`.
    public func configure(_ settings: [String: String]) throws(LocalPostgresError) {
        try self.settings.withLock { current throws(LocalPostgresError) in
            let changed = try current.merging(settings)
            try folder.place(changed)
            current = changed
        }
    }
}
