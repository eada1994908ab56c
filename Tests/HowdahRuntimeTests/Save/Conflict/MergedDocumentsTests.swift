import DeclaredModels
import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// The result of each merge policy for JSON, which the server spells in its own way and other programs write more of.
@Suite(.timeLimit(.minutes(60))) struct MergedDocumentsTests {
    private static let names = ["subject", "settings", "basics"]
    private static let types = MergePolicyTests.types + [.error]

    /// A JSON text with a theme, in a spelling that no encoder here writes, and with a member that no class reads.
    private static func json(_ theme: String) -> String {
        "{\"more\" : [1, 2.50], \"theme\": \"\(theme)\",  \"colours\": [ ], \"since\": \"2001-01-01T00:00:00Z\"}"
    }

    @Test(arguments: types, [true, false])
    func documents(type: MergePolicy.MergeType, isTyped: Bool) async throws {
        var entities = try DeclaredLetters.model().entities
        if !isTyped { for place in entities.indices { entities[place].className = nil } }
        try await withStore(ManagedObjectModel(entities: entities)) { container, sql in
            // By five, each property still meets all four cases.
            for bits in stride(from: 0, to: 64, by: TestTier.choose(quick: 5, all: 1, nightly: 1)) {
                let here = (0..<3).map { bits & (1 << $0) != 0 }
                let there = (0..<3).map { bits & (8 << $0) != 0 }
                if here.contains(true), there.contains(true) {
                    try await check(type, here, there, container, sql, isTyped)
                }
            }
        }
    }

    private func check(
        _ type: MergePolicy.MergeType, _ here: [Bool], _ there: [Bool], _ container: PersistentContainer,
        _ sql: PlainSQL, _ isTyped: Bool
    ) async throws {
        let key = Int64.random(in: 1_000_000...Int64.max / 2)
        let read = Self.json("read")
        try sql.rows(
            "INSERT INTO letter (_id, _version, subject, status, weight, settings, basics) "
                + "VALUES (\(key), 1, 'read', 'draft', 0, '\(read)', '\(read)')")
        let changes = zip(Self.names, there).filter(\.1).map { name, _ in
            "\(name) = '\(name == "subject" ? "there" : Self.json("there"))'"
        }
        let update = "UPDATE letter SET _version = 2, \(changes.joined(separator: ", ")) WHERE _id = \(key)"
        let conflict = try await container.perform { context -> SaveConflict? in
            context.mergePolicy = MergePolicy(merge: type)
            let object = try #require(
                try context.fetch("Letter", matching: .format("subject == 'read'")).first {
                    $0.objectID.key == key
                })
            for (name, isChanged) in zip(Self.names, here) where isChanged {
                object[name] = name == "subject" ? "here" : Data(Self.json("here").utf8)
            }
            try sql.rows(update)
            do {
                try context.save()
                return nil
            } catch let error as SaveError where error.code == .conflict {
                context.rollback()
                return error.conflicts[0]
            }
        }
        #expect((conflict == nil) == (type != .error))
        if let conflict {
            #expect(conflict.properties == zip(Self.names, there).filter(\.1).map(\.0))
            #expect(conflict.changedProperties == zip(Self.names, here).filter(\.1).map(\.0))
        }
        let row = try sql.rows(
            "SELECT subject, settings->>'theme', basics->>'theme' FROM letter WHERE _id = \(key)")[0]
        for place in row.indices {
            let wanted =
                switch type {
                case .mergeByPropertyStoreTrump: there[place] ? "there" : here[place] ? "here" : "read"
                case .mergeByPropertyObjectTrump: here[place] ? "here" : there[place] ? "there" : "read"
                case .overwrite: here[place] ? "here" : "read"
                case .rollback, .error: there[place] ? "there" : "read"
                }
            #expect(row[place] == wanted, "\(Self.names[place]), here \(here), there \(there)")
        }
    }
}
