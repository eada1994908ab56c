import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import Logging
import TestSupport
import Testing

/// Many tasks for a while, under cancellation, deadlines, and everything that goes wrong with a server and a network.
///
/// `HOWDAH_SEED=7` makes other choices, `HOWDAH_SOAK_SECONDS` another duration, and `HOWDAH_SOAK_WITHOUT=stop,silence`
/// leaves troubles out (the names are in ``SoakTrouble``), and `HOWDAH_SOAK_LATE=FILE` has late calls named at once. Which statement meets which trouble is up to the machine.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SoakTests {
    private static let tasks = 16
    private static let handles = 4

    @Test func directly() async throws {
        try await Self.soak(tokens: true) { server in (server, nil) }
    }

    @Test(.needsPgBouncer) func throughPgBouncer() async throws {
        try await Self.soak(tokens: false) { server in
            var options = PgBouncer.Options()
            // A client that was cut off in a transaction must not keep the others waiting.
            options.settings = ["client_idle_timeout": "0"]
            let pooler = try PgBouncer(server, options: options)
            return (pooler.url(through: server), pooler)
        }
    }

    private static var duration: Duration {
        let seconds = ProcessInfo.processInfo.environment["HOWDAH_SOAK_SECONDS"].flatMap { Int($0) }
        return .seconds(seconds ?? TestTier.choose(quick: 3, all: 20, nightly: 600))
    }

    /// Soaks a server of its own.
    ///
    /// - Parameter route: returns the connection string to go by, and the pooler that it leads through.
    private static func soak(
        tokens: Bool, _ route: (String) throws -> (String, PgBouncer?)
    ) async throws {
        let seed = SeededGenerator.chosenSeed(orElse: 1)
        let cluster = try LocalCluster.start(settings: ["max_connections": "60"])
        defer { cluster.stop(.immediate) }
        let (url, pooler) = try route(cluster.url())
        defer { pooler?.stop() }
        let proxy = try CuttingProxy(url, seed: seed)
        defer { proxy.stop() }
        var options = StoreOptions()
        options.resolvesLostCommits = tokens
        options.connectionWait = .seconds(5)
        options.logger.logLevel = .critical
        // The first container makes the store, and the threads that the process keeps.
        let first = try await PersistentContainer.open(url, model: SoakModel.model(), options: options)
        await first.close()
        _ = try Psql(url: cluster.url()).rows(SoakTroublemaker.addition(SoakModel.people))
        let ledger = SoakLedger()
        let threads = SoakProcess.threads

        let container = try await PersistentContainer.open(
            proxy.conninfo, model: SoakModel.model(), options: options)
        let trouble = try SoakTroublemaker(cluster.url(), proxy, ledger)
        await work(container, ledger, trouble, seed: seed)
        let comment: Comment =
            "HOWDAH_SEED=\(seed), \(ledger.summary); \(trouble.summary); \(proxy.cuts) cuts"
        print(comment.rawValue)
        #expect(ledger.unfinished.isEmpty, comment)

        // While it is open, the container has connections, and no transactions.
        let observer = Psql(url: cluster.url())
        let open = try await SoakProcess.settles(at: []) { try observer.rows(SoakProcess.transactions) }
        #expect(open.isEmpty, comment)
        await container.close(drainingFor: .seconds(5))
        trouble.close()
        pooler?.stop()
        let sessions = try await SoakProcess.settles(at: []) { try observer.rows(SoakProcess.sessions) }
        #expect(sessions.isEmpty, comment)
        proxy.stop()
        if SoakProcess.isAlone {
            let own = try await SoakProcess.settles(at: []) {
                SoakProcess.threads.filter { $0.contains(" howdah-") }
            }
            #expect(own.isEmpty, comment)
            // Those of Swift and Foundation come and go.
            let left = try await SoakProcess.settles(at: true) {
                SoakProcess.threads.count <= threads.count + 2
            }
            #expect(left, "threads: \(SoakProcess.threads), at the start: \(threads). \(comment)")
        }
        ledger.compare(with: try stored(observer))
        let complaints = ledger.complaints
        #expect(
            complaints.isEmpty,
            "\(complaints.count) complaints:\n\(complaints.prefix(20).joined(separator: "\n"))\n\(comment)")
    }

    /// Runs all tasks beside the troublemaker, and waits at most another minute for them.
    private static func work(
        _ container: PersistentContainer, _ ledger: SoakLedger, _ trouble: SoakTroublemaker, seed: UInt64
    ) async {
        let end = ContinuousClock.now + duration
        let handles = (0..<handles).map { _ in container.newBackgroundContext() }
        var generator = SeededGenerator(seed: seed)
        let workers = (0..<tasks).map { _ in
            SoakWorker(
                container: container, handles: handles, ledger: ledger,
                generator: SeededGenerator(seed: generator.next()))
        }
        let troubles = SeededGenerator(seed: generator.next())
        let all = Task {
            await withTaskGroup(of: Void.self) { group in
                for worker in workers {
                    group.addTask {
                        var worker = worker
                        await worker.run(until: end)
                    }
                }
            }
        }
        let maker = Task { await trouble.run(until: end, troubles) }
        while ContinuousClock.now < end + .seconds(60) {
            try? await Task.sleep(for: .milliseconds(100))
            ledger.complainOfLateCalls()
            if ContinuousClock.now >= end, ledger.unfinished.isEmpty { break }
        }
        await maker.value
        guard ledger.unfinished.isEmpty else {
            ledger.complain("After a minute of calm these had not returned: \(ledger.unfinished)")
            return all.cancel()
        }
        await all.value
    }

    private static func stored(_ observer: Psql) throws -> [UUID: Int] {
        let rows = try observer.rows("SELECT token, count(*) FROM entry GROUP BY token")
        return Dictionary(
            rows.compactMap { row in UUID(uuidString: row[0]).map { ($0, Int(row[1]) ?? 0) } },
            uniquingKeysWith: { $1 })
    }
}
