import Dispatch
import Foundation
import Howdah
import Synchronization

/// Compares passwords, one after the other on a thread of its own.
///
/// A comparison takes a core for some tenths of a second. On Swift's threads, a few logins would stop all requests.
final class Passwords: Sendable {
    private static let longestLine = 16
    private let queue = DispatchQueue(label: "tracker.passwords")
    private let waiting = Mutex(0)

    /// Indicates whether a password is the stored one.
    ///
    /// - Parameter stored: Nil if there is no such user. That takes the same time, so nobody learns it.
    /// - Throws: ``ProblemDetails`` with status 429 if many logins wait already.
    func matches(_ password: String, _ stored: Data?) async throws -> Bool {
        let isAllowed = waiting.withLock { waiting in
            guard waiting < Self.longestLine else { return false }
            waiting += 1
            return true
        }
        guard isAllowed else {
            throw ProblemDetails(429, "tooManyLogins", "Many logins wait. Try again later.", retryAfter: 2)
        }
        defer { waiting.withLock { $0 -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try User.matches(password, stored) })
            }
        }
    }
}
