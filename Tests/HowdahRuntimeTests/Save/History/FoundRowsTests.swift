import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Rows that only the server can find, such as those with sums over other rows, are written once per transaction.
@Suite struct FoundRowsTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Club",
                properties: [
                    .attribute("city", .string),
                    .relationship("teams", to: "Team", inverse: "club", toMany: true),
                ]),
            EntityDescription(
                "Team",
                properties: [
                    .attribute("name", .string),
                    .attribute("city", .string, derivation: "club.city"),
                    .attribute("total", .integer64, optional: false, derivation: "players.@sum.points"),
                    .relationship("club", to: "Club", inverse: "teams"),
                    .relationship("players", to: "Player", inverse: "team", toMany: true),
                ]),
            EntityDescription(
                "Player",
                properties: [
                    .attribute("points", .integer64, optional: false, default: .int(0)),
                    .attribute("city", .string, derivation: "team.club.city"),
                    .relationship("team", to: "Team", inverse: "players"),
                ]),
        ])
    }

    /// Stores teams of one club with players.
    private static func fill(_ container: PersistentContainer, teams: Int, players: Int) async throws {
        try await container.perform { context in
            let club = context.insert("Club")
            club["city"] = "Rome"
            let teams = (0..<teams).map { number in
                let team = context.insert("Team")
                (team["name"], team["club"]) = ("T\(number)", club)
                return team
            }
            for number in 0..<players { context.insert("Player")["team"] = teams[number % teams.count] }
            try context.save()
        }
    }

    private static func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
    }

    /// The rows that the open transaction has read on the server.
    private static func rowsRead(_ context: ManagedObjectContext) throws -> Int {
        let sums = try context.fetchRows(
            Int64.self,
            sql: "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_xact_user_tables")
        return try Int(#require(sums.first))
    }

    /// The history of 2,500 saves overflowed the numbers of parts, and COMMIT failed.
    ///
    /// A save costs the same after 2,000 others: in statements, in rows that it returns and in rows that the server reads.
    @Test(.timeLimit(.minutes(60))) func manySavesAreFoundTogether() async throws {
        try await withHistory(Self.model()) { container, sql in
            try await Self.fill(container, teams: 10, players: 2_500)
            let before = try sql.history().last?.number ?? 0
            let costs = try await container.perform(isolation: .readCommitted) { context in
                var costs: [[Int]] = []
                let players = try Self.all("Player", context)
                for part in 0..<5 {
                    let read = try Self.rowsRead(context)
                    container.statementLog.start()
                    for number in part * 500..<(part + 1) * 500 {
                        players[number]["points"] = 1 + number % 7
                        try context.save()
                    }
                    let events = container.statementLog.events
                    costs.append([
                        events.count, events.reduce(0) { $0 + $1.rows }, try Self.rowsRead(context) - read,
                    ])
                }
                container.statementLog.start()
                return costs
            }
            // COMMIT with the history, whatever the number of saves.
            #expect(container.statementLog.events.count <= 4)
            for (last, first) in zip(costs[4], costs[0]) { #expect(last <= first * 2, "\(costs)") }
            let rows = try sql.history(after: before)
            #expect(rows.filter { $0.entity == "Team" }.map(\.ids.count) == [10])
            #expect(rows.filter { $0.entity == "Team" }.first?.properties == ["total"])
            #expect(rows.filter { $0.entity == "Player" }.flatMap(\.ids).count == 2_500)
            #expect(rows.map(\.part) == Array(0..<rows.count))
        }
    }

    /// A batch deletion that leaves a copy as a save made it must not hide that the save had changed it.
    @Test func rowsAreFoundBeforeABatchChangesTheirPath() async throws {
        try await withHistory(Self.model()) { container, sql in
            try await Self.fill(container, teams: 1, players: 1)
            let before = try sql.history().last?.number ?? 0
            try await container.perform(isolation: .readCommitted) { context in
                try Self.all("Club", context)[0]["city"] = nil
                try context.save()
                try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Club")))
            }
            let player = try sql.history(after: before).filter { $0.entity == "Player" }
            #expect(player.map(\.properties) == [["city"]])
            #expect(try sql.value("SELECT city FROM player") == nil)
        }
    }

    /// An object that is changed and found has one change, with the properties of both.
    @Test(arguments: [false, true]) func objectHasOneChange(isNested: Bool) async throws {
        try await withHistory(Self.model()) { container, _ in
            try await Self.fill(container, teams: 2, players: 2)
            let token = try await container.currentHistoryToken()
            try await container.perform(isolation: isNested ? .readCommitted : nil) { context in
                let teams = try Self.all("Team", context)
                for team in teams { team["name"] = "renamed" }
                for player in try Self.all("Player", context) { player["points"] = 5 }
                try Self.all("Club", context)[0]["city"] = "Milan"
                // A new team has derived values, too.
                let (team, player, club) = (
                    context.insert("Team"), context.insert("Player"), context.insert("Club")
                )
                (player["team"], team["club"], player["points"]) = (team, club, 1)
                try context.save()
            }
            let history = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            let transaction = try #require(history.transactions.first)
            #expect(history.transactions.count == 1)
            let ids = transaction.changes.map(\.changedObjectID)
            #expect(ids.count == 8 && Set(ids).count == 8)
            let teams = transaction.changes.filter { $0.changedObjectID.entityName == "Team" }
            #expect(
                teams.filter { $0.changeType == .update }.map(\.updatedProperties) == [
                    ["name", "total", "city"], ["name", "total", "city"],
                ])
            let players = transaction.changes.filter { $0.changedObjectID.entityName == "Player" }
            #expect(Set(players.map(\.updatedProperties)) == [["points", "city"], nil])
            #expect(teams.filter { $0.changeType == .insert }.map(\.updatedProperties) == [nil])
        }
    }
}
