import Foundation
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The history of real saves, as programs read it.
struct HistoryOfSavesTests {
    private static let values: [(String, AttributeType, Value)] = [
        ("text", .string, .string("Ada \"\\ \u{1F418}")), ("number", .integer64, .int(.max)),
        ("small", .integer16, .int(-7)), ("flag", .boolean, .bool(true)), ("real", .double, .double(0.1)),
        ("half", .float, .float(1.5)),
        ("exact", .decimal, .decimal(Decimal(string: "12345678901234567890.125") ?? 0)),
        ("moment", .date, .date(Date(timeIntervalSinceReferenceDate: 1_000_000.25))),
        ("bytes", .binary, .data(Data([0, 255, 92]))), ("key", .uuid, .uuid(UUID())),
        ("place", .uri, .uri(URL(filePath: "/a b"))),
        ("list", .array(of: .integer64), .array([.int(1), .int(2)])), ("nothing", .string, .null),
    ]

    private static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Owner",
                    properties: [
                        .attribute("name", .string),
                        .relationship(
                            "things", to: "Thing", inverse: "owner", toMany: true, deleteRule: .cascade),
                    ]),
                EntityDescription(
                    "Thing",
                    properties: values.map {
                        .attribute($0.0, $0.1, preservesValueInHistoryOnDeletion: true)
                    } + [
                        .attribute("secret", .string), .relationship("owner", to: "Owner", inverse: "things"),
                    ]),
            ])
        }
    }

    @Test(arguments: [false, true])
    func preservedValuesComeBackAsTheyWere(byCascade: Bool) async throws {
        try await withHistory(Self.model) { container, _ in
            container.transactionAuthor = "tests"
            try await container.perform { context in
                let owner = context.insert("Owner")
                let thing = context.insert("Thing")
                for (name, _, value) in Self.values { thing.setValue(value.native, forKey: name) }
                thing["secret"] = "not kept"
                thing["owner"] = owner
                try context.save()
            }
            let token = try await container.currentHistoryToken()
            try await container.perform { context in
                context.name = "cleaner"
                let name = byCascade ? "Owner" : "Thing"
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: name)) {
                    context.delete(object)
                }
                try context.save()
            }
            let history = try await container.perform {
                try $0.execute(
                    HistoryRequest.fetch(after: token, where: HistoryFilter(changeTypes: [.delete])))
            }
            let transaction = try #require(history.transactions.first)
            #expect(history.transactions.count == 1)
            #expect(transaction.author == "tests" && transaction.contextName == "cleaner")
            let change = try #require(transaction.changes.first { $0.changedObjectID.entityName == "Thing" })
            let tombstone = try #require(change.tombstone)
            #expect(Set(tombstone.keys) == Set(Self.values.map(\.0)))
            for (name, _, value) in Self.values { #expect(tombstone[name] == value, "\(name)") }
        }
    }

    /// Values at the ends of their types, as this library writes them and as the server does.
    @Test(arguments: ["loaded", "fault", "batch"])
    func extremeValuesComeBackAsTheyWere(way: String) async throws {
        let dates = [
            Date.distantPast, Date.distantFuture, Date(timeIntervalSinceReferenceDate: .infinity),
            Date(timeIntervalSinceReferenceDate: -.infinity), Date(timeIntervalSince1970: -62_198_755_200.5),
            Date(timeIntervalSince1970: 253_402_300_800), Date(timeIntervalSince1970: -2_500_000_000),
        ]
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("exact", .decimal, preservesValueInHistoryOnDeletion: true),
                    .attribute("real", .double, preservesValueInHistoryOnDeletion: true),
                    .attribute("half", .float, preservesValueInHistoryOnDeletion: true),
                ]
                    + dates.indices.map {
                        .attribute("date\($0)", .date, preservesValueInHistoryOnDeletion: true)
                    })
        ])
        try await withHistory(model) { container, sql in
            let id = try await container.perform { context in
                let thing = context.insert("Thing")
                (thing["exact"], thing["real"], thing["half"]) = (Decimal.nan, -Double.infinity, Float.nan)
                for (place, date) in dates.enumerated() where date.timeIntervalSinceReferenceDate.isFinite {
                    thing["date\(place)"] = date
                }
                try context.save()
                return thing.objectID as ObjectID<ManagedObject>
            }
            // Saves refuse infinite times, and objects cannot have them. Other programs can store them.
            if way != "loaded" { try sql.script("UPDATE thing SET date2 = 'infinity', date3 = '-infinity'") }
            // Early times have offsets with seconds in most zones.
            try sql.script(
                """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), 'Europe/Amsterdam');
                END $$
                """)
            let token = try await container.currentHistoryToken()
            let other = try await PersistentContainer.open(sql.url, model: model)
            try await other.closing { other in
                try await other.perform { context in
                    switch way {
                    case "loaded": context.delete(try context.existingObject(with: id))
                    case "fault": context.delete(context.object(with: id))
                    default: try context.execute(BatchDeleteRequest(objectIDs: [id]))
                    }
                    try context.save()
                }
            }
            let history = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            let tombstone = try #require(history.transactions.first?.changes.first?.tombstone)
            #expect(tombstone["exact"] == .decimal(.nan))
            #expect(tombstone["real"] == .double(-.infinity))
            #expect(tombstone["half"]?.isIdentical(to: .float(.nan)) == true)
            for (place, date) in dates.enumerated()
            where way != "loaded" || date.timeIntervalSinceReferenceDate.isFinite {
                #expect(tombstone["date\(place)"] == .date(try Timestamp.rounded(date)), "\(date)")
            }
        }
    }

    /// A TRUNCATE of a tracked table is of another program, and reports that any object may have changed.
    @Test func truncationOfATrackedTableIsOfAnotherProgram() async throws {
        try await withHistory(Self.model) { container, sql in
            let token = try await container.currentHistoryToken()
            try sql.script(
                """
                INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                SELECT 0, nextval('_howdah_history_number'), 0, 2, '', 2, '{}'
                """)
            var filter = HistoryFilter(origins: [.otherProgram])
            filter.entityNames = ["Thing"]
            let history = try await container.perform { [filter] in
                try $0.execute(HistoryRequest.fetch(after: token, where: filter))
            }
            #expect(history.transactions.map(\.origin) == [.otherProgram])
            #expect(history.transactions.map(\.changesEverything) == [true])
        }
    }

    /// A transaction of several saves is one, and what it rolled back is none.
    @Test func aTransactionOfSavesIsOneOfTheHistory() async throws {
        try await withHistory(Self.model) { container, _ in
            let token = try await container.currentHistoryToken()
            struct Undone: Error {}
            _ = try? await container.perform(isolation: .readCommitted) { context in
                context.insert("Owner")
                try context.save()
                throw Undone()
            }
            try await container.perform(isolation: .readCommitted) { context in
                let owner = context.insert("Owner")
                try context.save()
                owner["name"] = "Ada"
                try context.save()
                context.insert("Thing")["owner"] = owner
                try context.save()
            }
            let history = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            #expect(history.transactions.count == 1)
            #expect(history.transactions[0].changes.map(\.changeType) == [.insert, .insert])
        }
    }

    @Test func streamsGetTheSavesOfOtherContainers() async throws {
        try await withTestDatabase(for: Self.model) { database in
            let model = try Self.model
            let owner = try await PersistentContainer.open(database.url, model: model, options: Self.enabled)
            await owner.close(drainingFor: .seconds(5))
            try PlainSQL(url: TestPooler.direct(database.url)).rows(
                "UPDATE _howdah_history_current SET slot = 0")
            let (one, other) = (
                try await PersistentContainer.open(database.url, model: model, options: Self.enabled),
                try await PersistentContainer.open(database.url, model: model, options: Self.enabled)
            )
            let handle = one.newBackgroundContext()
            var loop = one.changes(after: try await one.currentHistoryToken()).makeAsyncIterator()
            let id = try await other.perform { context in
                let owner = context.insert("Owner")
                owner["name"] = "Ada"
                try context.save()
                return owner.objectID
            }
            let first = try #require(try await loop.next())
            #expect(first.transactions.flatMap { $0.changes.map(\.changedObjectID) } == [id])
            let name = try await handle.perform { try $0.existingObject(with: id)["name"] as? String }
            #expect(name == "Ada")
            try await other.perform { context in
                try context.existingObject(with: id)["name"] = "Bob"
                try context.save()
            }
            let second = try #require(try await loop.next())
            #expect(second.transactions[0].changes[0].updatedProperties == ["name"])
            let merged = try await handle.perform { context in
                try context.mergeChanges(from: second.transactions)
                return try context.existingObject(with: id)["name"] as? String
            }
            #expect(merged == "Bob")
            await other.close(drainingFor: .seconds(5))
            await one.close(drainingFor: .seconds(5))
            #expect(try await loop.next() == nil)
        }
    }

    private static var enabled: StoreOptions {
        var options = StoreOptions()
        options.history = .enabled
        return options
    }
}

extension Value {
    /// The value as a program sets it by name.
    fileprivate var native: Any? {
        switch self {
        case .null, .composite, .reference: nil
        case .bool(let value): value
        case .int(let value): Int(value)
        case .double(let value): value
        case .float(let value): value
        case .decimal(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .uri(let value): value
        case .array(let values): values.compactMap { $0.native as? Int }
        }
    }
}
