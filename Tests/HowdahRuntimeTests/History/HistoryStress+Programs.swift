import Foundation
import Howdah
import HowdahSchema
import LocalPostgres
import PQClient
import Synchronization
import TestSupport

@testable import HowdahRuntime

/// What changes the store and disturbs it. Each kind of failure has its number a minute, whatever the number of
/// changes.
extension HistoryStress {
    private static let timeOfCrew = Duration.seconds(10)
    private static let timeOfServer = Duration.seconds(15)

    private func crew(_ number: Int) throws -> Process {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "crew", "\(seed &* 7 &+ UInt64(number))"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func end(_ crew: Process) {
        kill(crew.processIdentifier, SIGKILL)
        crew.waitForEnd()
        counts.killedPrograms.add(1, ordering: .releasing)
    }

    /// Changes objects by tasks of this process and of others until the round has its changes, and in hostile rounds for
    /// ten minutes at most until a purge has expired a token.
    func write(_ round: Round) async throws {
        defer { end() }
        do {
            try await change(round)
        } catch {
            fail()
            throw error
        }
    }

    private func change(_ round: Round) async throws {
        var random = SeededGenerator(seed: seed &+ UInt64(round.number))
        var crewNumber = round.number * 1_000
        var crews: [Process] = []
        defer { for crew in crews { end(crew) } }
        for _ in 1...2 {
            crewNumber += 1
            crews.append(try crew(crewNumber))
        }
        var options = Self.options
        options.keepsHistory = false
        let container = try await PersistentContainer.open(url, model: RandomWorkers.model, options: options)
        try await container.closing { container in
            let tasks = (0..<6).map { number in
                Task {
                    let seed = seed &* 13 &+ UInt64(round.number * 100 + number)
                    await RandomWorkers.work(in: container, seed: seed)
                }
            }
            defer { for task in tasks { task.cancel() } }
            let session = observer()
            let latest = ContinuousClock.now + .seconds(600)
            // The sequence also counts what is rolled back.
            let first = try session.number("SELECT last_value FROM truth_place_seq")
            var next = first + round.count
            var (lastCrew, lastServer) = (ContinuousClock.now, ContinuousClock.now)
            var hasRestarted = false
            while true {
                try await Task.sleep(for: .milliseconds(50))
                if .now - lastCrew > Self.timeOfCrew {
                    end(crews.removeFirst())
                    crewNumber += 1
                    crews.append(try crew(crewNumber))
                    lastCrew = .now
                }
                let drawn = try session.number("SELECT last_value FROM truth_place_seq")
                let part = Double(drawn - first) / Double(round.count)
                // A busy machine may see the part only when it is over.
                if round.isHostile, part > 0.3,
                    !hasRestarted || part < 0.8 && .now - lastServer > Self.timeOfServer
                {
                    try restart(random.pick([.kill, .immediate, .fast]), noticedBy: session)
                    (hasRestarted, lastServer) = (true, .now)
                }
                if drawn < next { continue }
                let stored = try session.number("SELECT count(*) FROM truth")
                let isMissingExpiry = round.isHostile && expired == 0 && .now < latest
                if stored >= round.count, !isMissingExpiry, hasRestarted || !round.isHostile { break }
                next = drawn + max(0, round.count - stored)
            }
            for task in tasks { task.cancel() }
            for task in tasks { await task.value }
        }
    }

    /// Restarts the server, and notes which transactions may be delivered again: those that its last heartbeat does not
    /// see.
    private func restart(_ mode: LocalCluster.StopMode, noticedBy session: StressObserver) throws {
        server.stopServer(mode)
        try server.startServer()
        counts.restarts.add(1, ordering: .releasing)
        let tables = HistoryTables(in: "public")
        try session.query(
            """
            INSERT INTO restarts SELECT coalesce((SELECT e.heartbeat FROM \(tables.era) e WHERE e.followed_by = present),
                s.heartbeat), pg_snapshot_xmax(pg_current_snapshot())
            FROM \(tables.state) s, LATERAL (SELECT \(HistoryTables.eraExpression) AS present) p
            """)
    }

    /// Ends connections of programs until the round is over.
    func disturb() async throws {
        let session = observer()
        while !isOver {
            try await Task.sleep(for: .milliseconds(400))
            let ended = try session.number(
                """
                SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                    AND application_name <> 'observer' ORDER BY random() LIMIT 1) p
                """)
            counts.endedSessions.add(ended, ordering: .releasing)
        }
    }

    /// Rotates and purges until the round is over.
    func purge() async throws {
        let tables = HistoryTables(in: "public")
        let session = observer()
        try session.query("UPDATE \(tables.state) SET retention = '300 ms'")
        while !isOver {
            try await Task.sleep(for: .milliseconds(200))
            try session.query("SELECT \(tables.name(of: .rotate))()")
            for slot in 0..<HistoryTables.slots {
                let result = try session.query("SELECT \(tables.name(of: .purge))(\(slot)::int2)")
                if result.first({ $0[0].bool }) ?? false { counts.purges.add(1, ordering: .releasing) }
            }
        }
        try session.query("UPDATE \(tables.state) SET retention = '7 days'")
    }
}
