import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Texts in the order of a locale, which only the server has.
@Suite(.timeLimit(.minutes(60))) struct LocaleOrderTests {
    private static let names = ["Öz", "Zoe", "ada", "bob", "Émile", "ada"]
    private static let german = ["ada", "ada", "bob", "Émile", "Öz", "Zoe"]

    private static func model(
        locale: String? = "de", maximumLength: Int? = 100
    ) throws -> ManagedObjectModel {
        let person = EntityDescription(
            "Person",
            properties: [
                .attribute(
                    "name", .string, maximumLength: maximumLength,
                    userInfo: locale.map { [MappingKey.localeIndex: $0] } ?? [:]),
                .attribute("age", .integer16), .relationship("boss", to: "Person"),
            ])
        return try ManagedObjectModel(entities: [person])
    }

    private static func withPeople(_ body: (PersistentContainer) async throws -> Void) async throws {
        try await withTestStore(model()) { container in
            try await container.perform { context in
                for name in names {
                    let person = context.insert("Person")
                    (person["name"], person["age"]) = (name, 30)
                }
                try context.save()
            }
            try await body(container)
        }
    }

    private static func request(
        _ locale: String?, ascending: Bool = true
    ) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.sortDescriptors = [SortKey(keyPath: "name", ascending: ascending, locale: locale)]
        return request
    }

    private static func names(_ objects: [ManagedObject]) -> [String] {
        objects.map { $0["name"] as? String ?? "-" }
    }

    @Test func aLocaleDecides() async throws {
        try await Self.withPeople { container in
            try await container.perform { context in
                func sorted(_ locale: String?, ascending: Bool = true) throws -> [String] {
                    try Self.names(context.fetch(Self.request(locale, ascending: ascending)))
                }
                let plain = try sorted(nil)
                #expect(plain == ["Zoe", "ada", "ada", "bob", "Émile", "Öz"].sorted(by: Self.scalars))
                #expect(try sorted("de") == Self.german)
                #expect(try sorted("de-AT", ascending: false) == Self.german.reversed())
                #expect(try sorted("sv") == ["ada", "ada", "bob", "Émile", "Zoe", "Öz"])
                let key = SortKey<ManagedObject>.key("name").inLocale("sv").reversed
                #expect(key == SortKey(keyPath: "name", ascending: false, locale: "sv"))
                var request = Self.request("de")
                request.propertiesToFetch = ["name", .count()]
                request.propertiesToGroupBy = ["name"]
                #expect(
                    try context.fetchDictionaries(request).map { $0["name"] as? String } == [
                        "ada", "bob", "Émile", "Öz", "Zoe",
                    ])
            }
        }
    }

    private static func scalars(_ one: String, _ other: String) -> Bool {
        one.unicodeScalars.lexicographicallyPrecedes(other.unicodeScalars)
    }

    @Test(arguments: [true, false]) func pagesFollowEachOther(ascending: Bool) async throws {
        try await Self.withPeople { container in
            try await container.perform { context in
                _ = context.insert("Person")
                try context.save()
                var request = Self.request("de", ascending: ascending)
                for size in 1...4 {
                    request.fetchLimit = size
                    var (found, cursor) = ([String](), PageCursor?.none)
                    repeat {
                        let page = try context.fetchPage(request, after: cursor)
                        found += Self.names(page.objects)
                        cursor = page.next
                    } while cursor != nil
                    let all = ["-"] + Self.german
                    #expect(found == (ascending ? all : all.reversed()))
                }
                request.fetchLimit = 2
                let cursor = try context.fetchPage(request).next
                for locale in [nil, "sv"] {
                    var other = Self.request(locale, ascending: ascending)
                    other.fetchLimit = 2
                    let error = #expect(throws: FetchError.self) {
                        try context.fetchPage(other, after: cursor)
                    }
                    #expect(error?.code == .invalidCursor)
                }
                var batched: [String] = []
                try context.forEachBatch(of: Self.request("de"), size: 2) { batched += Self.names($0) }
                #expect(batched == ["-"] + Self.german)
            }
            var streamed: [String] = []
            for try await batch in container.batches(
                of: Self.request("de"), size: 2, { $0["name"] as? String ?? "-" })
            {
                streamed += batch
            }
            #expect(streamed == ["-"] + Self.german)
        }
    }

    @Test func unsavedObjectsAreRefused() async throws {
        try await Self.withPeople { container in
            try await container.perform { context in
                let person = context.insert("Person")
                person["name"] = "Özil"
                let error = #expect(throws: FetchError.self) { try context.fetch(Self.request("de")) }
                #expect(error?.code == .invalidRequest && error?.message.contains("Save first") == true)
                let child = context.newChildContext()
                #expect(throws: FetchError.self) { try child.fetch(Self.request("de")) }
                var request = Self.request("de")
                request.predicate = .format("name == 'ada'")
                #expect(try context.fetch(request).count == 2, "none of the unsaved objects matches")
                request = Self.request("de")
                request.includesPendingChanges = false
                #expect(try Self.names(context.fetch(request)) == Self.german)
                try context.save()
                #expect(try context.fetch(Self.request("de")).count == 7)
                #expect(try child.fetch(Self.request("de")).count == 7)
            }
        }
    }

    @Test(arguments: [
        ("de\" COLLATE \"C", "is not a locale"), ("", "is not a locale"), ("DE", "is not a locale"),
        ("de_DE", "is not a locale"), ("de-", "is not a locale"), ("qq-QQ", "does not have the locale"),
        ("de-at", "does not have the locale"),
    ]) func wrongLocalesAreRefused(locale: String, words: String) async throws {
        try await Self.withPeople { container in
            try await container.perform { context in
                let error = #expect(throws: FetchError.self) { try context.fetch(Self.request(locale)) }
                #expect(
                    error?.code == .invalidRequest && error?.message.contains(words) == true,
                    "\(String(describing: error))")
                #expect(words == "is not a locale" || error?.message.contains("'\(locale)'") == true)
            }
        }
    }

    @Test func anIndexOfAMissingLocaleIsNamed() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let error = await #expect(throws: StoreError.self) {
                var options = StoreOptions()
                options.schemaName = "other"
                let container = try await PersistentContainer.open(
                    database.url, model: Self.model(locale: "qq-QQ"), options: options)
                await container.close()
            }
            #expect(error?.code == .invalidModel)
            #expect(error?.message.contains("the locale 'qq-QQ'") == true, "\(String(describing: error))")
            #expect(error?.message.contains("Person") == true)
            #expect(error?.message.contains("pg_collation") == true)
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            let migration = await #expect(throws: (any Error).self) {
                let container = try await PersistentContainer.open(
                    database.url, model: Self.model(locale: "qq-QQ"), options: options)
                await container.close()
            }
            #expect("\(String(describing: migration))".contains("the locale 'qq-QQ'"))
        }
    }

    @Test(arguments: ["age", "boss", "boss.age"]) func otherPropertiesAreRefused(path: String) async throws {
        try await Self.withPeople { container in
            try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.sortDescriptors = [.key(path).inLocale("de")]
                let error = #expect(throws: FetchError.self) { try context.fetch(request) }
                #expect(error?.message.contains("is not a text") == true)
            }
        }
    }

    @Test func sortKeysKeepTheirLocale() throws {
        for key in [SortKey<ManagedObject>.key("a"), .key("a", ascending: false).inLocale("de-AT")] {
            let data = try JSONEncoder().encode(key)
            #expect(try JSONDecoder().decode(SortKey<ManagedObject>.self, from: data) == key)
            #expect(String(decoding: data, as: UTF8.self).contains("locale") == (key.locale != nil))
        }
    }

    @Test func indexesHaveTheOrder() async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let plain = PlainSQL(url: database.url)
            func index() throws -> [String] {
                try plain.rows("SELECT indexdef FROM pg_indexes WHERE indexdef LIKE '%COLLATE%' ORDER BY 1")
                    .compactMap(\.first).compactMap(\.self)
            }
            #expect(
                try index().count == 1
                    && index().first?.contains("(name COLLATE \"de-x-icu\" NULLS FIRST)") == true)
            let model = try Self.model()
            let open = try await PersistentContainer.open(database.url, model: model)
            let plan = try await open.perform(isolation: .readCommitted) { context in
                _ = try context.fetchRows(sql: "SET LOCAL enable_seqscan = off")
                _ = try context.fetchRows(sql: "SET LOCAL enable_sort = off")
                return try context.fetchRows(
                    String.self,
                    sql:
                        "EXPLAIN SELECT _id FROM person t0 ORDER BY (t0.name COLLATE pg_catalog.\"de-x-icu\") ASC NULLS FIRST LIMIT 3"
                )
            }
            await open.close()
            #expect(plan.contains { $0.contains("person_by_name_in_de_idx") }, "\(plan)")
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            for (locale, count) in [("sv", 1), (nil, 0), ("fr-CA", 1)] as [(String?, Int)] {
                let container = try await PersistentContainer.open(
                    database.url, model: Self.model(locale: locale), options: options)
                await container.close()
                #expect(try index().count == count)
                if let locale { #expect(try index().first?.contains("\(locale)-x-icu") == true) }
            }
        }
    }

    @Test(
        arguments: [
            ("de_DE", 100, "is not a locale"), ("de", nil, "maximum length"), ("de", 601, "maximum length"),
        ] as [(String, Int?, String)]) func wrongIndexesAreRefused(
            locale: String, length: Int?, words: String
        ) throws
    {
        let error = #expect(throws: (any Error).self) {
            try Self.model(locale: locale, maximumLength: length)
        }
        #expect("\(String(describing: error))".contains(words), "\(String(describing: error))")
    }
}
