import Foundation

/// The right to start or stop a development cluster, held by one process at a time; the system takes it from one
/// that dies.
struct DevelopmentLock {
    private let descriptor: Int32

    /// Blocks until nobody else has it.
    init(_ path: String) throws(LocalPostgresError) {
        let opened = try SystemCall.check("Cannot create the lock file \(path)") {
            open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        }
        do {
            try SystemCall.check("Cannot lock \(path)") { flock(opened, LOCK_EX) }
        } catch {
            _ = close(opened)
            throw error
        }
        descriptor = opened
    }

    func release() { _ = close(descriptor) }
}
