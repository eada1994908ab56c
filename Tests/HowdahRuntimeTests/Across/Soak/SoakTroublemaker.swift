import Foundation
import Howdah
import Synchronization
import TestSupport

/// Makes trouble, chosen by a seed, until the time is over, and puts everything right again.
final class SoakTroublemaker: Sendable {
    private let sql: KeptSQL
    private let url: String
    private let proxy: CuttingProxy
    private let ledger: SoakLedger
    private let stopped = Mutex<Set<Int32>>([])
    private let made = Mutex<[String: Int]>([:])

    /// - Parameter url: the connection string of the server itself.
    init(_ url: String, _ proxy: CuttingProxy, _ ledger: SoakLedger) throws {
        (self.url, self.proxy, self.ledger) = (url, proxy, ledger)
        sql = try KeptSQL(url)
    }

    /// How often each trouble was made.
    var summary: String {
        made.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } }
            .joined(separator: ", ")
    }

    /// Makes one trouble after the other on a thread of its own; some of them last while others come.
    ///
    /// A server that does not answer must not block a thread of Swift's pool.
    func run(until end: ContinuousClock.Instant, _ generator: SeededGenerator) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                makeAll(until: end, generator)
                continuation.resume()
            }
        }
    }

    private func makeAll(until end: ContinuousClock.Instant, _ generator: SeededGenerator) {
        var generator = generator
        while ContinuousClock.now < end {
            let trouble = SoakTrouble.random(using: &generator)
            made.withLock { $0[trouble.name, default: 0] += 1 }
            do {
                try make(trouble, salt: Int.random(in: 0..<1_000_000, using: &generator))
            } catch {
                ledger.complain("\(trouble) failed: \(error)")
            }
        }
        calm()
    }

    /// Ends all that lasts.
    func calm() {
        proxy.cutAtRandom(oneIn: 0)
        proxy.dropAnswersToCommit(oneIn: 0)
        proxy.silence(false)
        for process in stopped.withLock({ $0 }) { kill(process, SIGCONT) }
        stopped.withLock { $0 = [] }
    }

    /// Closes the session that troubles are made with.
    func close() { sql.close() }

    private func make(_ trouble: SoakTrouble, salt: Int) throws {
        switch trouble {
        case .terminate: try sql.rows("SELECT pg_terminate_backend((\(Self.victim(salt))))::text")
        case .stop(let duration):
            // One at a time: while one is stopped, the server may answer nobody.
            guard stopped.withLock({ $0.isEmpty }),
                let process = try sql.value("SELECT (\(Self.victim(salt)))::text").flatMap({ Int32($0) })
            else { return }
            stopped.withLock { _ = $0.insert(process) }
            kill(process, SIGSTOP)
            Thread.detachNewThread { [self] in
                Self.sleep(duration)
                if stopped.withLock({ $0.remove(process) }) != nil { kill(process, SIGCONT) }
            }
            Self.sleep(.milliseconds(50))
        case .silence(let duration):
            proxy.silence(true)
            Self.sleep(duration)
            proxy.silence(false)
        case .cuts(let messages, let duration):
            proxy.cutAtRandom(oneIn: messages)
            Self.sleep(duration)
            proxy.cutAtRandom(oneIn: 0)
        case .droppedCommits(let commits, let duration):
            proxy.dropAnswersToCommit(oneIn: commits)
            Self.sleep(duration)
            proxy.dropAnswersToCommit(oneIn: 0)
        case .rename(let count):
            try second(
                """
                UPDATE person SET name = 'renamed ' || _id, _version = _version + 1 WHERE _id IN
                (SELECT _id FROM person ORDER BY hashint8extended(_id, \(salt)) LIMIT \(count))
                """)
        case .delete(let count):
            try second(
                """
                DELETE FROM person WHERE _id IN
                (SELECT _id FROM person ORDER BY hashint8extended(_id, \(salt)) OFFSET 20 LIMIT \(count))
                """)
        case .add(let count): try second(Self.addition(count))
        case .calm(let duration): Self.sleep(duration)
        }
    }

    private static func sleep(_ duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }

    /// Runs a statement in a process of its own, which does not wait for others for ever.
    private func second(_ statement: String) throws {
        _ = try? Psql(url: url + "&options=-c%20lock_timeout%3D300ms%20-c%20statement_timeout%3D2s").rows(
            statement)
    }

    /// Makes people, as the store would.
    static func addition(_ count: Int) -> String {
        "INSERT INTO person (name) SELECT 'person ' || number FROM generate_series(1, \(count)) number"
    }

    private static func victim(_ salt: Int) -> String {
        """
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend' AND application_name <> 'psql' ORDER BY hashint8extended(pid, \(salt)) LIMIT 1
        """
    }
}
