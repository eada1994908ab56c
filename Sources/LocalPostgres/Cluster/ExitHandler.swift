import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends the clusters still running when the process exits in the ordinary way, so that nothing is left at the moment
/// its parent sees it gone. Without it the watchdogs would do the same some milliseconds later.
enum ExitHandler {
    private static let running = Mutex<[ObjectIdentifier: Watchdog]>([:])

    private static let isInstalled: Bool = {
        owner.withLock { $0 = getpid() }
        return atexit {
            // A copy of this process made by fork() exits without ending what is not its own.
            guard ExitHandler.owner.withLock({ $0 }) == getpid() else { return }
            Watchdog.abandon(ExitHandler.running.withLock { $0 }.values)
        } == 0
    }()
    private static let owner = Mutex<pid_t>(0)

    static func add(_ cluster: LocalCluster, _ watchdog: Watchdog) {
        _ = isInstalled
        running.withLock { $0[ObjectIdentifier(cluster)] = watchdog }
    }

    /// Takes the cluster out, before its line is closed and the number of the descriptor is used again.
    static func remove(_ cluster: LocalCluster) {
        _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(cluster)) }
    }
}
