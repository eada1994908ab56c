import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Enums in a real database: the round trip, predicates, sorting, and rows that a newer program wrote.
@Suite(.timeLimit(.minutes(60))) struct EnumStoreTests {
    nonisolated(nonsending) private func fill(_ store: LetterStore) async throws {
        try await store.container.perform { context in
            let all: [(String, LetterStatus, LetterUrgency?, LetterWeight)] = [
                ("a", .draft, nil, .light), ("b", .sent, .high, .heavy), ("c", .answered, .extreme, .light),
                ("d", .sent, .low, .heavy),
            ]
            var previous: Letter?
            for (subject, status, urgency, weight) in all {
                let letter = Letter(context: context)
                (letter.subject, letter.status, letter.urgency) = (subject, status, urgency)
                letter.weight = weight
                letter.original = previous
                if let urgency { letter.stamp = LetterStamp(urgency: urgency, status: status) }
                previous = letter
            }
            try context.save()
        }
    }

    @Test func valuesComeBack() async throws {
        try await LetterStore.with { store in
            try await fill(store)
            try await store.container.perform { context in
                let letters = try context.fetch(Letter.self, sortedBy: .ascending(\.subject))
                #expect(letters.map(\.status) == [.draft, .sent, .answered, .sent])
                #expect(letters.map(\.urgency) == [nil, .high, .extreme, .low])
                #expect(letters.map(\.weight) == [.light, .heavy, .light, .heavy])
                #expect(letters.map(\.distance) == [.near, .near, .near, .near])
                #expect(letters.map(\.stamp?.urgency) == [nil, .high, .extreme, .low])
                #expect(letters.map(\.stamp?.status) == [nil, .sent, .answered, .sent])
                letters[0].status = .answered
                letters[1].urgency = nil
                letters[0].distance = .far
                try context.save()
            }
            let stored = try store.execute(
                "SELECT concat_ws('|', status, urgency, weight, distance, stamp_urgency) FROM letter ORDER BY subject"
            )
            #expect(
                stored == ["re:answered|0|100000", "sent|1|0|5", "re:answered|1000|0|0|1000", "sent|1|1|0|1"])
        }
    }

    @Test func anEnumNeverSetIsReported() async throws {
        try await LetterStore.with { store in
            try await store.container.perform { context in
                let letter = Letter(context: context)
                letter.subject = "x"
                #expect(letter.status == .draft && letter.distance == .near && letter.weight == .light)
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.issues.map(\.propertyName) == ["weight"])
                context.rollback()
            }
        }
    }

    @Test func predicatesAndSorting() async throws {
        try await LetterStore.with { store in
            try await fill(store)
            // Foundation's macro takes no implicit members, so that a case is captured in a variable.
            let (wanted, draft, high) = (LetterStatus.sent, LetterStatus.draft, LetterUrgency.high)
            let some: [LetterStatus] = [.draft, .answered]
            let typed: [(Predicate<Letter>, [String])] = [
                (#Predicate { $0.status == draft }, ["a"]),
                (#Predicate { $0.status != draft }, ["b", "c", "d"]),
                (#Predicate { $0.status == wanted }, ["b", "d"]),
                (#Predicate { some.contains($0.status) }, ["a", "c"]),
                (#Predicate { $0.urgency == high }, ["b"]),
                (#Predicate { $0.urgency != high }, ["a", "c", "d"]),
                (#Predicate { $0.urgency == nil }, ["a"]),
                (#Predicate { $0.stamp?.status == wanted }, ["b", "d"]),
                (#Predicate { $0.original?.status == wanted }, ["c"]),
                (#Predicate { $0.replies.contains { $0.status == wanted } }, ["a", "c"]),
            ]
            let formats: [(PredicateTree, [String])] = [
                (.format("status == %@", LetterStatus.sent), ["b", "d"]),
                (.format("urgency == %@", LetterUrgency.extreme), ["c"]),
                (.format("urgency >= %@", LetterUrgency.high), ["b", "c"]),
                (.format("status IN %@", some), ["a", "c"]), (.format("status BEGINSWITH 're:'"), ["c"]),
            ]
            try await store.container.perform { context in
                let all = try context.fetch(Letter.self, sortedBy: .ascending(\.subject))
                for (index, (predicate, expected)) in typed.enumerated() {
                    let found = try context.fetch(
                        Letter.self, where: predicate, sortedBy: .ascending(\.subject))
                    #expect(found.map(\.subject) == expected, "predicate \(index)")
                    #expect(
                        try all.filter { try predicate.evaluate($0) }.map(\.subject) == expected,
                        "predicate \(index)")
                }
                for (tree, expected) in formats {
                    let found = try context.fetch(
                        Letter.self, matching: tree, sortedBy: .ascending(\.subject))
                    #expect(found.map(\.subject) == expected, "\(tree)")
                    #expect(
                        try all.filter { try tree.evaluate(with: $0) }.map(\.subject) == expected, "\(tree)")
                }
                let sorted = try context.fetch(
                    Letter.self, sortedBy: .descending(\.status), .ascending(\.urgency))
                #expect(sorted.map(\.subject) == ["d", "b", "c", "a"])
            }
        }
    }

    @Test func aRowThatANewerProgramWroteFailsTheFetch() async throws {
        try await LetterStore.with { store in
            try await fill(store)
            try loosen(store)
            try store.execute("UPDATE letter SET status = 'lost' WHERE subject = 'b'")
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    _ = try context.fetch(Letter.self)
                }
            }
            #expect(error?.code == .unknownCase)
            #expect(error?.unknownValue == "lost")
            #expect(error?.message.contains("Letter.status") == true)
            #expect(error?.message.contains("LetterStatus") == true)
            #expect(error?.message.contains("lost") == false)
            #expect(error?.objectURI != nil)
            let others = try await store.container.perform { context in
                try context.fetch(Letter.self, where: #Predicate { $0.subject != "b" }).count
            }
            #expect(others == 3)
        }
    }

    @Test func aFaultOfSuchARowReadsAsZeroAndFailsTheUnit() async throws {
        try await LetterStore.with { store in
            try await fill(store)
            let id = try await store.container.perform { context in
                try context.fetch(Letter.self, where: #Predicate { $0.subject == "c" })[0].objectID
            }
            try loosen(store)
            try store.execute("UPDATE letter SET urgency = 7 WHERE subject = 'b'")
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { context in
                    let original = context.object(with: id).original
                    // The first case stands where nothing can be told.
                    #expect(original?.urgency == .low)
                    #expect(throws: FetchError.self) { try context.fetch(Letter.self) }
                }
            }
            #expect(error?.code == .unknownCase)
            #expect(error?.unknownValue == 7)
        }
    }

    @Test func programsWithoutTheEnumReadTheRawValue() async throws {
        var entity = try #require(DeclaredLetters.model()["Letter"])
        entity.className = nil
        let model = try ManagedObjectModel(entities: [entity])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let letter = context.insert("Letter")
                letter.setValue("x", forKey: "subject")
                letter.setValue(LetterStatus.sent, forKey: "status")
                letter.setValue(LetterUrgency.high, forKey: "urgency")
                letter.setValue(1, forKey: "weight")
                letter.setValue(Data("{}".utf8), forKey: "basics")
                try context.save()
                context.reset()
                let again = try #require(context.fetch("Letter").first)
                #expect(again.value(forKey: "status") as? String == "sent")
                #expect(again.value(forKey: "urgency") as? Int64 == 5)
            }
        }
    }

    /// Drops the CHECKs that keep programs with other cases out.
    private func loosen(_ store: LetterStore) throws {
        try store.execute(
            """
            DO $$ DECLARE c name; BEGIN
            FOR c IN SELECT conname FROM pg_constraint WHERE conrelid = 'letter'::regclass AND contype = 'c' LOOP
            EXECUTE format('ALTER TABLE letter DROP CONSTRAINT %I', c); END LOOP; END $$
            """)
    }
}
