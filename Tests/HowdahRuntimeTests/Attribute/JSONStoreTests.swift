import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Codable values in `jsonb` columns: the round trip, predicates that lead into them, and JSON of others.
@Suite(.timeLimit(.minutes(60))) struct JSONStoreTests {
    @Test func theModelSaysJSON() throws {
        let letter = try #require(DeclaredLetters.model()["Letter"])
        for name in ["settings", "basics"] {
            let attribute = try #require(letter.properties.first { $0.name == name }?.attribute)
            #expect(attribute.type == .transformable)
            #expect(attribute.userInfo == [MappingKey.jsonb: "true"])
            #expect(attribute.defaultValue == nil)
        }
    }

    @Test func valuesComeBack() async throws {
        try await LetterStore.with { store in
            var settings = LetterSettings(
                theme: "e\u{301} \"dark\"\\", isWide: nil, window: .init(width: 3, ratio: 0.1, title: "<"))
            settings.price = Decimal(string: "12345678901234567890.123456789")
            settings.since = Date(timeIntervalSince1970: 1_700_000_000.125)
            settings.colours = ["red", ""]
            let given = settings
            try await store.container.perform { context in
                let letter = Letter(context: context)
                (letter.subject, letter.weight, letter.settings) = ("a", .light, given)
                #expect(letter.settings == given)
                #expect(letter.settings?.theme.unicodeScalars.first == "é")
                let other = Letter(context: context)
                (other.subject, other.weight) = ("b", .light)
                try context.save()
                context.reset()
                let letters = try context.fetch(Letter.self, sortedBy: .ascending(\.subject))
                #expect(letters.map(\.settings) == [given, nil])
                #expect(letters.map(\.basics) == [LetterSettings(), LetterSettings()])
                letters[0].settings = given
                store.container.statementLog.start()
                try context.save()
                #expect(store.container.statementLog.count == 0, "an equal value is no change")
                letters[0].settings?.window?.width = 4
                try context.save()
            }
            let stored = try store.execute(
                """
                SELECT concat_ws('|', settings -> 'window' ->> 'width', settings ->> 'price', settings ->> 'since',
                    pg_typeof(settings)) FROM letter ORDER BY subject
                """)
            #expect(
                stored == [
                    "4|12345678901234567890.123456789|2023-11-14T22:13:20.125Z|jsonb", "jsonb",
                ])
        }
    }

    static let formats: [PredicateTree] = [
        .format("settings.theme == 'dark'"), .format("settings.theme != 'dark'"),
        .format("'dark' == settings.theme"),
        .format("settings.theme == NULL"), .format("settings.theme != NULL"),
        .format("NOT settings.theme == 'dark'"),
        .format("settings.theme IN {'dark', 'light'}"), .format("NOT settings.theme IN {'dark', NULL}"),
        .format("settings.theme IN {'dark', 3, TRUE}"), .format("settings.theme > 'd'"),
        .format("NOT settings.theme > 'd'"), .format("settings.theme BEGINSWITH 'd'"),
        .format("settings.theme CONTAINS 'ar'"), .format("settings.theme LIKE '?ark'"),
        .format("settings.theme BETWEEN {'a', 'k'}"), .format("settings.theme == %@", "e\u{301}"),
        .format("settings.window.width > 100"), .format("NOT settings.window.width > 100"),
        .format("settings.window.width == 100"), .format("settings.window.width == 1"),
        .format("settings.window.width == TRUE"), .format("settings.window.width != 100"),
        .format("settings.window.width >= 99.5"), .format("settings.window.width BETWEEN {1, 100}"),
        .format("settings.window.width == %@", Decimal(100)), .format("settings.window.width IN {100, 1}"),
        .format("settings.window.width == %@", 1e300), .format("settings.window.width < 1.5"),
        .format("settings.window.ratio == 0.1"), .format("settings.window.ratio < %@", Float(0.1)),
        .format("settings.window == NULL"), .format("settings.window != NULL"),
        .format("settings.window == 'x'"),
        .format("settings.isWide == TRUE"), .format("settings.isWide == FALSE"),
        .format("settings.isWide != TRUE"),
        .format("settings.isWide == NULL"), .format("settings.isWide == 1"), .format("settings.isWide > 0"),
        .format("settings == NULL"), .format("settings != NULL"), .format("settings.none.none == NULL"),
        .format("settings.theme.none == NULL"), .format("original.settings.theme == 'dark'"),
        .format("original.settings.theme == NULL"), .format("NOT original.settings.window.width > 100"),
        .format("ANY replies.settings.theme == 'dark'"), .format("ALL replies.settings.window.width > 100"),
        .format("settings.colours == NULL"), .format("settings.colours == 'red'"),
        .format("settings.colours CONTAINS 'red'"), .format("NOT settings.colours CONTAINS 'red'"),
        .format("'red' IN settings.colours"), .format("settings.colours CONTAINS[c] 'RED'"),
        .format("settings.colours CONTAINS[cd] 'blé'"), .format("settings.colours CONTAINS 'e'"),
        .format("settings.theme CONTAINS 'dark'"), .format("settings.colours CONTAINS 1"),
        .format("settings.colours CONTAINS TRUE"), .format("settings.colours CONTAINS NULL"),
        .format("ANY replies.settings.colours CONTAINS 'red'"),
        .format("original.settings.colours CONTAINS 'red'"),
        .format("settings.theme IN {'dark'}"), .format("settings.theme IN 'dark light'"),
    ]

    /// The first rows are written over by somebody else.
    @Test func sqlAndMemoryAgree() async throws {
        try await LetterStore.with { store in
            try await store.container.perform { context in
                var random = SeededGenerator(seed: 3)
                var letters: [Letter] = []
                for number in 0..<60 {
                    let letter = Letter(context: context)
                    (letter.subject, letter.weight) = ("l\(number)", .light)
                    if random.chance(80) {
                        let window = LetterSettings.Window(
                            width: random.pick([0, 1, 99, 100, 101]), ratio: random.pick([nil, 0.1, 2]))
                        letter.settings = LetterSettings(
                            theme: random.pick(["dark", "light", "é", "d"]),
                            isWide: random.pick([nil, true, false]),
                            window: random.chance(70) ? window : nil)
                        letter.settings?.colours = random.pick([
                            [], ["red"], ["Red", "ble"], ["reddish", "red"],
                        ])
                    }
                    if random.chance(60), number > 0 { letter.original = random.pick(letters) }
                    letters.append(letter)
                }
                try context.save()
            }
            var entity = try #require(DeclaredLetters.model()["Letter"])
            entity.className = nil
            for (number, text) in [
                "{\"theme\": 1, \"window\": {\"width\": true}, \"isWide\": 1}", "null", "3", "\"dark\"", "[]",
                "{\"theme\": null, \"window\": [100], \"isWide\": \"TRUE\"}",
                "{\"theme\": [\"dark\"], \"window\": {\"width\": \"100\"}}",
                "{\"window\": {\"width\": 100.0}}",
                "[{\"theme\": \"dark\"}]", "{\"theme\": {\"none\": 1}}",
                "{\"colours\": [1, null, [\"red\"]], \"theme\": \"ark\"}",
                "{\"colours\": [true, {}], \"theme\": null}",
                "{\"colours\": \"red\"}",
            ].enumerated() {
                try store.execute("UPDATE letter SET settings = '\(text)' WHERE subject = 'l\(number)'")
            }
            let generic = try await PersistentContainer.open(
                store.url, model: ManagedObjectModel(entities: [entity]))
            try await generic.perform { context in
                let letters = try context.fetch("Letter")
                #expect(letters.count == 60)
                var decided = 0
                for tree in Self.formats {
                    let expected = try letters.filter { try tree.evaluate(with: $0) }
                    let found = try context.fetch("Letter", matching: tree)
                    #expect(Set(found) == Set(expected), "\(tree)")
                    let others = try context.fetch("Letter", matching: .not(tree))
                    #expect(Set(others) == Set(letters).subtracting(expected), "not \(tree)")
                    if !expected.isEmpty, expected.count < letters.count { decided += 1 }
                }
                #expect(decided > Self.formats.count * 8 / 10, "\(decided)")
            }
            await generic.close()
        }
    }

    @Test func aPredicateOfFoundationSaysWhatLeadsIntoJSON() async throws {
        try await LetterStore.with { store in
            try await store.container.perform { context in
                let error = #expect(throws: PredicateTreeError.self) {
                    _ = try context.fetch(Letter.self, where: #Predicate { $0.basics.theme == "dark" })
                }
                #expect(
                    error?.message.contains("JSON") == true && error?.message.contains(".format(") == true,
                    "\(error?.message ?? "")")
            }
        }
    }

    @Test func whatJSONCannotBeComparedWithIsRefused() async throws {
        try await LetterStore.with { store in
            try await store.container.perform { context in
                for tree: PredicateTree in [
                    .format("settings.theme == %@", Date()), .format("settings.theme == %@", Data()),
                    .format("settings.theme > %@", UUID()), .format("settings.theme == subject"),
                    .format("settings.window.width BETWEEN {1, 'a'}"), .format("subject.theme == 'x'"),
                ] {
                    #expect(throws: PredicateTreeError.self, "\(tree)") {
                        try context.fetch(Letter.self, matching: tree)
                    }
                }
            }
        }
    }

    @Test func jsonThatTheTypeDoesNotTakeFailsTheFetch() async throws {
        try await LetterStore.with { store in
            try await store.container.perform { context in
                let letter = Letter(context: context)
                (letter.subject, letter.weight) = ("a", .light)
                try context.save()
            }
            try store.execute("UPDATE letter SET settings = '{\"theme\": 3}'")
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform { _ = try $0.fetch(Letter.self) }
            }
            #expect(error?.code == .invalidValue)
            #expect(error?.message.contains("Letter.settings") == true)
            #expect(error?.objectURI != nil)
            for (json, found) in [("null", "null"), ("[1]", "not of type object")] {
                try store.execute("UPDATE letter SET settings = '\(json)'")
                let error = await #expect(throws: FetchError.self) {
                    try await store.container.perform { _ = try $0.fetch(Letter.self) }
                }
                let message = error?.message ?? ""
                #expect(
                    message.contains("Letter.settings") && message.contains("root")
                        && message.contains("object")
                        && message.contains(found), "\(message)")
                #expect(error?.objectURI?.contains("Letter") == true)
            }
        }
    }

    @Test func equalityIsWrittenForIndexes() async throws {
        try await LetterStore.with { store in
            store.container.statementLog.start()
            try await store.container.perform { context in
                _ = try context.fetch(Letter.self, matching: .format("settings.window.title == 'x'"))
            }
            #expect(
                store.container.statementLog.statements.first?.sql.contains("t0.\"settings\" @> $1") == true)
        }
    }
}
