import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// A program of the version before with rows that have values of the next one.
@Suite(.timeLimit(.minutes(60))) struct UnknownCaseTests {
    /// A store that the later program has migrated and filled, opened by the version before.
    nonisolated(nonsending) private func withStore(
        _ body: (PersistentContainer, PlainSQL) async throws -> Void
    ) async throws {
        try await withTestDatabase(for: DeclaredMembers.plain()) { database in
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let later = try await PersistentContainer.open(
                database.url, model: DeclaredMembers.after(), options: options)
            try await later.perform { context in
                for (name, tier, rank) in [
                    ("Ada", LaterTier.basic, LaterRank.low), ("Eve", .platinum, .highest),
                    ("Bob", .gold, nil),
                ] as [(String, LaterTier, LaterRank?)] {
                    let member = LaterMember(context: context)
                    (member.name, member.tier, member.rank) = (name, tier, rank)
                }
                try context.save()
            }
            await later.close()
            var before = StoreOptions()
            before.accepting = .compatible
            let container = try await PersistentContainer.open(
                database.url, model: DeclaredMembers.before(), options: before)
            let sql = PlainSQL(url: database.url)
            try await container.closing { try await body($0, sql) }
        }
    }

    private static let rows = "SELECT name, tier, rank::text, _version::text FROM member ORDER BY _id"

    @Test func theCaseIsNoPartOfTheModel() throws {
        let (with, without) = (try DeclaredMembers.before(), try DeclaredMembers.plain())
        #expect(with.versionChecksum == without.versionChecksum)
        #expect(
            with["Member"]?.properties.first { $0.name == "tier" }?.attribute?.allowedValues == [
                "basic", "gold",
            ])
    }

    @Test func unknownValuesReadAsTheCaseAndStay() async throws {
        try await withStore { container, sql in
            try await container.perform { context in
                let members = try context.fetch(Member.self, sortedBy: .ascending(\.name))
                #expect(members.map(\.tier) == [.basic, .gold, .other])
                #expect(members.map(\.rank) == [.low, nil, .fallback])
                members[2].name = "Eva"
                // Assigning what is there is no change, and neither is there and back.
                members[2].tier = members[2].tier
                (members[2].rank, members[2].rank) = (.high, .fallback)
                try context.save()
            }
            #expect(try sql.rows(Self.rows)[1] == ["Eva", "platinum", "3", "2"])
        }
    }

    @Test func onlyAnotherValueIsWritten() async throws {
        try await withStore { container, sql in
            try await container.perform { context in
                let eve = try context.fetch(Member.self, where: #Predicate { $0.name == "Eve" })[0]
                eve.tier = .gold
                try context.save()
                #expect(eve.tier == .gold)
                // What was stored before that save does not come back.
                eve.tier = .other
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
                #expect(eve.tier == .gold && eve.rank == .fallback)
                eve.rank = nil
                try context.save()
            }
            #expect(try sql.rows(Self.rows)[1] == ["Eve", "gold", nil, "3"])
        }
    }

    @Test func theCaseItselfCannotBeStored() async throws {
        try await withStore { container, sql in
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    let member = Member(context: context)
                    (member.name, member.tier) = ("Mia", .other)
                    let ada = try context.fetch(Member.self, where: #Predicate { $0.name == "Ada" })[0]
                    ada.rank = .fallback
                    try context.save()
                }
            }
            #expect(error?.code == .validation && error?.issues.count == 2, "\(String(describing: error))")
            #expect(error?.issues.flatMap(\.properties).sorted() == ["rank", "tier"])
            #expect(throws: (any Error).self) { try sql.rows("UPDATE member SET tier = 'other'") }
        }
    }

    /// In the store and in memory alike.
    @Test func predicatesCompareWhatIsStored() async throws {
        try await withStore { container, _ in
            try await container.perform { context in
                let members = try context.fetch(Member.self)
                for (format, names) in [
                    ("tier == 'platinum'", ["Eve"]), ("tier == 'other'", []), ("rank > 2", ["Eve"]),
                    ("tier IN {'gold', 'platinum'}", ["Bob", "Eve"]), ("rank == -1", []),
                ] {
                    let tree = try PredicateTree(format: format)
                    let found = try context.fetch(Member.self, matching: tree).map(\.name).sorted()
                    #expect(found == names, "\(format)")
                    let here = try members.filter { try tree.evaluate(with: $0) }.map(\.name).sorted()
                    #expect(here == names, "\(format) in memory")
                }
                let other = MemberTier.other
                let typed = try context.fetch(Member.self, where: #Predicate { $0.tier == other })
                #expect(typed.isEmpty)
                let sorted = try context.fetch(Member.self, sortedBy: .descending(\.tier)).map(\.name)
                #expect(sorted == ["Eve", "Bob", "Ada"])
                let eve = try #require(members.first { $0.name == "Eve" })
                #expect(eve.value(forKey: "tier") as? String == "platinum")
            }
        }
    }

    @Test func whatIsStoredSurvivesConflictsUndoAndChildren() async throws {
        try await withStore { container, sql in
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                context.undoManager = UndoStack()
                let eve = try context.fetch(Member.self, where: #Predicate { $0.name == "Eve" })[0]
                eve.tier = .basic
                context.processPendingChanges()
                context.undo()
                #expect(eve.tier == .other)
                let child = context.newChildContext()
                let copy = try #require(
                    child.fetch(Member.self, where: #Predicate { $0.name == "Eve" }).first)
                #expect(copy.tier == .other)
                copy.name = "Evi"
                try child.save()
                #expect(eve.name == "Evi" && eve.tier == .other)
                // Another program writes the row meanwhile.
                _ = try sql.rows("UPDATE member SET rank = 1, _version = _version + 1 WHERE name = 'Eve'")
                try context.save()
            }
            #expect(try sql.rows(Self.rows)[1].prefix(3) == ["Evi", "platinum", "1"])
        }
    }

    @Test func withoutACaseTheFetchFails() async throws {
        try await withStore { container, sql in
            var options = StoreOptions()
            options.accepting = .compatible
            let plain = try await PersistentContainer.open(
                sql.url, model: DeclaredMembers.plain(), options: options)
            let error = await #expect(throws: FetchError.self) {
                try await plain.perform { context in _ = try context.fetch(PlainMember.self) }
            }
            #expect(error?.code == .unknownCase && error?.unknownValue == "platinum")
            await plain.close()
        }
    }

    /// The column is as wide as what can be stored.
    @Test func theCaseDoesNotMakeTheColumnWider() {
        enum Level: Int, AttributeEnum { case low = 1, high, other = 99_999 }
        #expect(_Emitted.type(of: Level.self, without: .other) == .integer16)
        #expect(_Emitted.type(of: Level?.self, without: .other) == .integer16)
        #expect(_Emitted.type(of: Level.self) == .integer32)
    }
}
