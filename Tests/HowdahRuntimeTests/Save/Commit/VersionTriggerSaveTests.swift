import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// With version triggers, saves that delete what changed rows lead to, and that hand on unique values, count as without.
@Suite struct VersionTriggerSaveTests {
    private static let entities = ["Team", "Member", "Badge", "Locker"]

    private static func model(counts: Bool) throws -> ManagedObjectModel {
        var entities = [
            EntityDescription(
                "Team",
                properties: [
                    .attribute("code", .integer64),
                    .relationship(
                        "members", to: "Member", inverse: "team", toMany: true, deleteRule: .nullify),
                ]),
            EntityDescription(
                "Member",
                properties: [
                    .attribute("code", .integer64), .attribute("name", .string),
                    .attribute("rank", .integer64),
                    .relationship("team", to: "Team", inverse: "members"),
                    .relationship("locker", to: "Locker", inverse: "holder"),
                    .relationship("friend", to: "Member"), .relationship("badge", to: "Badge"),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription("Badge", properties: [.attribute("code", .integer64)]),
            EntityDescription(
                "Locker",
                properties: [
                    .attribute("code", .integer64), .attribute("rank", .integer64),
                    .relationship("holder", to: "Member", inverse: "locker"),
                ]),
        ]
        if counts {
            for place in entities.indices { entities[place].userInfo[MappingKey.versionTrigger] = "YES" }
        }
        return try ManagedObjectModel(entities: entities)
    }

    /// A program, and the store that it works with.
    private enum Setting: CaseIterable {
        case plain, watched, older

        var programCounts: Bool { self == .watched }
        var storeCounts: Bool { self != .plain }
    }

    private static func insert(
        _ entity: String, _ code: Int, _ context: ManagedObjectContext
    ) -> ManagedObject {
        let object = context.insert(entity)
        object["code"] = code
        if entity == "Member" { object["name"] = "member \(code)" }
        return object
    }

    private static func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).filter { !$0.isDeleted }
            .sorted { ($0["code"] as? Int64 ?? 0) < ($1["code"] as? Int64 ?? 0) }
    }

    /// The versions of all rows after `body`, which runs in a store with 20 members of 4 teams.
    private static func versions(
        _ setting: Setting, _ isolation: Isolation?,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> [String] {
        try await withTestDatabase(for: model(counts: setting.storeCounts)) { database in
            var options = StoreOptions()
            options.accepting = .compatible
            let container = try await PersistentContainer.open(
                database.url, model: model(counts: setting.programCounts), options: options)
            try await container.perform { context in
                let teams = (0..<4).map { insert("Team", $0, context) }
                let badges = (0..<4).map { insert("Badge", $0, context) }
                for number in 0..<20 {
                    let member = insert("Member", number, context)
                    (member["team"], member["badge"]) = (teams[number % 4], badges[number / 5])
                    member["locker"] = insert("Locker", number, context)
                }
                try context.save()
            }
            try await container.perform(isolation: isolation) { try body($0) }
            await container.close(drainingFor: .seconds(5))
            let tables = entities.map { $0.lowercased() }
            return try PlainSQL(url: database.url).rows(
                tables.map { "SELECT '\($0) ' || code || ': ' || _version AS text FROM \($0)" }
                    .joined(separator: " UNION ALL ") + " ORDER BY 1"
            ).compactMap { $0[0] }
        }
    }

    /// What a save does to the members 0 and 1, 0 being the friend of 1.
    enum Change: CaseIterable {
        case team, teamAfterMove, badge, friend, locker, holder, exchange, exchangeAndTeam, name, everything

        func apply(_ context: ManagedObjectContext, _ one: ManagedObject, _ other: ManagedObject) {
            func delete(_ object: ManagedObject, _ name: String) {
                if let destination = object[name] as? ManagedObject { context.delete(destination) }
            }
            func exchange() { (one["name"], other["name"]) = (other["name"], one["name"]) }
            other["rank"] = 7
            switch self {
            case .team: delete(other, "team")
            case .teamAfterMove:
                delete(other, "team")
                other["team"] = one["team"]
            case .badge: delete(other, "badge")
            case .friend: context.delete(one)
            case .locker: delete(other, "locker")
            case .holder:
                (other["locker"] as? ManagedObject)?.setValue(7, forKey: "rank")
                context.delete(other)
            case .exchange: exchange()
            case .exchangeAndTeam:
                exchange()
                delete(other, "team")
            case .name:
                other["name"] = one["name"]
                context.delete(one)
            case .everything:
                exchange()
                for name in ["team", "badge", "locker", "friend"] { delete(other, name) }
            }
        }
    }

    @Test(arguments: Change.allCases, [false, true])
    func aSaveCountsAsWithout(change: Change, inTransaction: Bool) async throws {
        var results: [[String]] = []
        for setting in Setting.allCases {
            results.append(
                try await Self.versions(setting, inTransaction ? .readCommitted : nil) { context in
                    let members = try Self.all("Member", context)
                    members[1]["friend"] = members[0]
                    try context.save()
                    change.apply(context, members[0], members[1])
                    try context.save()
                    // What was written is known, also to the context.
                    for member in members where !member.isDeleted && member.managedObjectContext != nil {
                        member["rank"] = 8
                    }
                    try context.save()
                })
        }
        #expect(results[0].count > 30)
        #expect(results[1] == results[0] && results[2] == results[0], "\(change)")
    }

    @Test(arguments: UInt64(1)...TestTier.choose(quick: 1, all: 4, nightly: 4), [false, true])
    func savesCountAsWithout(seed: UInt64, inTransaction: Bool) async throws {
        var results: [[String]] = []
        for setting in Setting.allCases {
            results.append(
                try await Self.versions(setting, inTransaction ? .readCommitted : nil) { context in
                    var random = SeededGenerator(seed: seed)
                    for step in 0..<30 {
                        for number in 0..<4 { try Self.act(context, &random, 100 + step * 10 + number) }
                        try context.save()
                        if step.isMultiple(of: 4) { context.reset() }
                    }
                })
        }
        #expect(results[0].count > 20, "seed \(seed)")
        #expect(results[1] == results[0], "seed \(seed)")
        #expect(results[2] == results[0], "seed \(seed), an older program")
    }

    /// Does one thing at random, and saves nothing.
    private static func act(
        _ context: ManagedObjectContext, _ random: inout SeededGenerator, _ code: Int
    ) throws {
        let members = try all("Member", context)
        guard members.count > 1 else { return }
        let one = random.pick(members)
        let other = random.pick(members.filter { $0 !== one })
        let rank = Int.random(in: 1...99, using: &random)
        func deleteDestination(_ name: String) {
            guard let destination = one[name] as? ManagedObject, !destination.isDeleted else { return }
            one["rank"] = rank
            context.delete(destination)
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: deleteDestination("team")
        case 2:
            deleteDestination("team")
            one["team"] = other["team"]
        case 3: deleteDestination("badge")
        case 4:
            one["name"] = other["name"]
            context.delete(other)
        case 5: (one["name"], other["name"]) = (other["name"], one["name"])
        case 6: (one["locker"], other["locker"]) = (other["locker"], one["locker"])
        case 7: deleteDestination("locker")
        case 8:
            (one["locker"] as? ManagedObject)?.setValue(rank, forKey: "rank")
            context.delete(one)
        case 9: one["friend"] = other
        case 10:
            let entity = random.pick(["Team", "Badge", "Locker"])
            one[entity.lowercased()] = insert(entity, code, context)
        default:
            let member = insert("Member", code, context)
            (member["friend"], member["team"], member["badge"]) = (one, other["team"], one["badge"])
        }
    }
}
