import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Stores over tables that another program made, with the model that was pulled from them.
@Suite struct ExistingStoreTests {
    private static func fetch(
        _ context: ManagedObjectContext, _ entity: String, _ format: String? = nil,
        _ arguments: (any Sendable)...,
        sorted: String? = nil
    ) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        if let format { request.predicate = try PredicateTree(format: format, arguments: arguments) }
        if let sorted { request.sortDescriptors = [SortKey(keyPath: sorted)] }
        return try context.fetch(request)
    }

    private static func words(_ context: ManagedObjectContext, _ format: String?) throws -> [String] {
        try fetch(context, "Word", format, sorted: "text").compactMap { $0["text"] as? String }
    }

    /// The error of saving a change, which is then taken back.
    private static func refusal(_ context: ManagedObjectContext, _ change: () -> Void) -> SaveError? {
        change()
        let error = saveError { try context.save() }
        context.rollback()
        return error
    }

    private static func names(_ objects: [ManagedObject]) -> [String] {
        objects.compactMap { $0["name"] as? String }
    }

    @Test func tokensHaveTheirTableBesideTheRecord() async throws {
        try await Shop.with(Shop.tables) { shop in
            var options = StoreOptions()
            (options.existingTables, options.resolvesLostCommits) = (true, true)
            let model = try shop.pulled()
            let container = try await PersistentContainer.open(shop.sql.url, model: model, options: options)
            await container.close()
            #expect(try shop.relations().contains("_howdah_save"))
            try shop.sql.rows("DROP TABLE _howdah_save")
            let error = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(shop.sql.url, model: model, options: options)
            }
            #expect(error?.code == .schemaMismatch && error?.message.contains("CREATE TABLE") == true)
        }
    }

    @Test func openingMakesTheRecordAndNothingElse() async throws {
        try await Shop.with(Shop.tables) { shop in
            let before = try shop.relations()
            var identifier: UUID?
            try await shop.open { identifier = $0.storeIdentifier }
            #expect(try Set(shop.relations()).subtracting(before) == ["_howdah_store", "_howdah_store_pkey"])
            // A role that may only read and write opens it from then on, and it is the same store.
            try await shop.open { #expect($0.storeIdentifier == identifier) }
            let refused = await shop.openingError(try shop.pulled(), existing: false)
            #expect(refused?.code == .invalidModel)
            let plain = await shop.openingError(try Company.model(), existing: false)
            #expect(plain?.code == .notAStore && plain?.message.contains("existingTables") == true)
        }
    }

    @Test func aStoreOfOurOwnIsNotTakenForAnotherPrograms() async throws {
        try await withStore(Company.model()) { _, sql in
            let error = await Shop(sql: sql).openingError(try Company.model())
            #expect(error?.code == .notAStore && error?.message.contains("without") == true)
        }
    }

    @Test func rowsAreFetchedByPredicatesOrderAndRelationships() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let all = try Self.fetch(context, "Customer", sorted: "name")
                    #expect(
                        Self.names(all) == ["Ada", "Eve", "bob"] && all.map(\.objectID.key) == [1, 3, 2])
                    #expect(all[0]["mood"] as? String == "calm" && all[0]["code"] as? String == "A1")
                    for (format, expected) in [
                        ("name == 'Ada'", ["Ada"]), ("name < 'b'", ["Ada", "Eve"]),
                        ("mood == 'cross'", ["bob"]),
                        ("mood != 'cross'", ["Ada", "Eve"]), ("mood IN {'cross', 'none'}", ["bob"]),
                        ("code == 'A1'", ["Ada"]), ("code BEGINSWITH 'B'", ["bob"]),
                        ("purchase.@count == 2", ["Ada"]),
                        ("ANY purchase.total > 9", ["Ada"]), ("SELF == %@", ["bob"]),
                    ] {
                        let id: ObjectID<ManagedObject> = all[2].objectID
                        let found =
                            format.contains("%@")
                            ? try Self.fetch(context, "Customer", format, id, sorted: "name")
                            : try Self.fetch(context, "Customer", format, sorted: "name")
                        #expect(Self.names(found) == expected, "\(format)")
                    }
                    let first = try #require(
                        try Self.fetch(
                            context, "Purchase", "customer.name == 'Ada' AND at < %@",
                            Date(timeIntervalSince1970: 1_704_153_600)
                        ).first)
                    #expect(first.objectID.key == 1 && first["total"] as? Decimal == Decimal(string: "10.5"))
                    #expect(first["at"] as? Date == Date(timeIntervalSince1970: 1_704_110_400))
                    #expect(first["tags"] as? [String] == ["a", "b"])
                    #expect((first["customer"] as? ManagedObject) === all[0])
                    #expect(
                        first.members(forKey: "shelf").compactMap { $0["label"] as? String }.sorted() == [
                            "low", "top",
                        ])
                    #expect(all[0].members(forKey: "purchase").count == 2)
                    #expect(try Self.fetch(context, "Purchase", "'a' IN tags").map(\.objectID.key) == [1])
                    let low = try #require(try Self.fetch(context, "Shelf", "label == 'low'").first)
                    #expect(low.members(forKey: "purchase").map(\.objectID.key).sorted() == [1, 11])
                }
            }
        }
    }

    @Test(arguments: [1, 5, 20, 200])
    func objectsAreInsertedChangedAndDeleted(count: Int) async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                let ids = try await container.perform { context in
                    let shelf = try #require(try Self.fetch(context, "Shelf", "label == 'top'").first)
                    let purchases = (0..<count).map { number in
                        let customer = context.insert("Customer")
                        customer["name"] = "new \(number)"
                        customer["mood"] = number % 2 == 0 ? "calm" : nil
                        customer["code"] = String(number)
                        let purchase = context.insert("Purchase")
                        purchase["at"] = Date(timeIntervalSince1970: Double(number))
                        purchase["customer"] = customer
                        purchase["tags"] = number % 3 == 0 ? ["x"] : nil
                        purchase.members(forKey: "shelf").insert(shelf)
                        return purchase
                    }
                    try context.save()
                    return purchases.map { $0.objectID as ObjectID<ManagedObject> }
                }
                // The keys are those of the tables' own sequences, which other programs go on drawing from.
                #expect(ids.allSatisfy { $0.key % 10 == 1 && $0.key > 21 })
                try shop.sql.rows("INSERT INTO customer (name) VALUES ('theirs')")
                try shop.sql.rows("INSERT INTO purchase (at) VALUES (now())")
                #expect(
                    try shop.sql.value(
                        """
                        SELECT concat(count(*), ' ', count(*) FILTER (WHERE p.at = timestamp '1970-01-01' + c.code::int * interval '1 second'),
                            ' ', count(c.mood), ' ', min(p.lock_version), ' ', max(c._version), ' ', count(s.shelf_id))
                        FROM purchase p JOIN customer c ON c.id = p.customer_id LEFT JOIN purchase_shelf s ON s.purchase_nr = p.nr
                        WHERE c.name LIKE 'new%'
                        """) == "\(count) \(count) \((count + 1) / 2) 1 1 \(count)")
                try await container.perform { context in
                    let purchases = try ids.map { try context.existingObject(with: $0) }
                    for purchase in purchases {
                        let customer = try #require(purchase["customer"] as? ManagedObject)
                        customer["mood"] = "cross"
                        customer["name"] = "old"
                        purchase["at"] = Date(timeIntervalSince1970: 86_400)
                    }
                    try context.save()
                    for purchase in purchases { purchase["total"] = Decimal(3) }
                    try context.save()
                }
                #expect(
                    try shop.sql.value(
                        """
                        SELECT concat(count(*), ' ', min(p.lock_version), ' ', min(c._version)) FROM purchase p
                        JOIN customer c ON c.id = p.customer_id
                        WHERE c.name = 'old' AND c.mood = 'cross' AND p.total = 3 AND p.at = '1970-01-02'
                        """) == "\(count) 3 2")
                try await container.perform { context in
                    for id in ids {
                        let purchase = try context.existingObject(with: id)
                        context.delete(try #require(purchase["customer"] as? ManagedObject))
                        context.delete(purchase)
                    }
                    try context.save()
                }
                #expect(try shop.sql.value("SELECT count(*)::text FROM purchase") == "4")
                #expect(try shop.sql.value("SELECT count(*)::text FROM customer") == "4")
            }
        }
    }

    @Test func aRowThatChangedElsewhereIsAConflict() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let ada = try #require(try Self.fetch(context, "Customer", "name == 'Ada'").first)
                    try shop.sql.rows(
                        "UPDATE customer SET name = 'Mia', _version = _version + 1 WHERE id = 1")
                    ada["mood"] = "cross"
                    let error = try #require(saveError { try context.save() })
                    #expect(error.code == .conflict && error.conflicts.first?.properties == ["name"])
                    context.refresh(ada)
                    ada["mood"] = "cross"
                    try context.save()
                }
                #expect(
                    try shop.sql.rows(
                        "SELECT name::text, mood::text, _version::text FROM customer WHERE id = 1")
                        == [["Mia", "cross", "3"]])
            }
        }
    }

    @Test func uniqueValuesAreReportedAndChangeHandsByTheirConstraint() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let all = try Self.fetch(context, "Customer", sorted: "name")
                    (all[0]["code"], all[2]["code"]) = ("B1", "A1")
                    try context.save()
                    all[1]["code"] = "A1"
                    let error = try #require(saveError { try context.save() })
                    #expect(error.code == .uniqueness && error.issues.first?.propertyName == "code")
                }
            }
        }
    }

    @Test func withoutAVersionObjectsCanOnlyBeRead() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let shelf = try #require(try Self.fetch(context, "Shelf", "label == 'top'").first)
                    container.statementLog.start()
                    let changed = Self.refusal(context) { shelf["label"] = "mine" }
                    #expect(changed?.code == .readOnly)
                    #expect(
                        changed?.message.contains(
                            "Shelf is read-only, because its table has no version column. Run ALTER TABLE \"public\".\"shelf\" ADD COLUMN "
                                + "\"_version\" bigint NOT NULL DEFAULT 1") == true)
                    #expect(Self.refusal(context) { context.delete(shelf) }?.code == .readOnly)
                    #expect(
                        Self.refusal(context) { context.insert("Shelf")["label"] = "x" }?.code == .readOnly)
                    #expect(container.statementLog.statements.isEmpty)
                    #expect(throws: FetchError.self) {
                        try context.execute(
                            BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Shelf")))
                    }
                    // What is stored in another table can be changed all the same.
                    let purchase = try #require(
                        try Self.fetch(
                            context, "Purchase", "at > %@", Date(timeIntervalSince1970: 1_704_240_000)
                        ).first)
                    shelf.members(forKey: "purchase").insert(purchase)
                    try context.save()
                }
                #expect(try shop.sql.value("SELECT count(*)::text FROM purchase_shelf") == "4")
            }
            // The remedy: the column, and the model says so.
            try shop.sql.rows("ALTER TABLE shelf ADD COLUMN _version bigint NOT NULL DEFAULT 1")
            try await shop.open { container in
                try await container.perform { context in
                    let shelf = try #require(try Self.fetch(context, "Shelf", "label == 'top'").first)
                    shelf["label"] = "mine"
                    context.insert("Shelf")["label"] = "third"
                    try context.save()
                }
                #expect(
                    try shop.sql.rows("SELECT id::text, label, _version::text FROM shelf ORDER BY id")
                        == [["1", "mine", "2"], ["2", "low", "1"], ["3", "third", "1"]])
            }
        }
    }

    @Test func whatADeleteRuleReachesIsNotWrittenEither() async throws {
        try await Shop.with(
            """
            CREATE TABLE a (id serial PRIMARY KEY, _version bigint NOT NULL DEFAULT 1);
            CREATE TABLE b (id serial PRIMARY KEY, a_id int REFERENCES a ON DELETE SET NULL);
            INSERT INTO a DEFAULT VALUES; INSERT INTO b (a_id) VALUES (1);
            """
        ) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let a = try #require(try Self.fetch(context, "A").first)
                    context.delete(a)
                    let error = try #require(saveError { try context.save() })
                    #expect(error.code == .readOnly && error.message.hasPrefix("B is read-only"))
                }
            }
            #expect(
                try shop.sql.value("SELECT concat((SELECT count(*) FROM a), (SELECT a_id FROM b))") == "11")
        }
    }

    @Test func keysWithoutADefaultAndKeysThatDoNotFit() async throws {
        try await Shop.with(
            """
            CREATE TABLE plain (id int PRIMARY KEY, name text, _version int NOT NULL);
            CREATE TABLE tiny (id smallserial PRIMARY KEY, _version smallint NOT NULL);
            SELECT setval('tiny_id_seq', 32767);
            CREATE TABLE minus (id int PRIMARY KEY); INSERT INTO plain VALUES (5, 'five', 0); INSERT INTO minus VALUES (-1);
            """
        ) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let five = try #require(try Self.fetch(context, "Plain").first)
                    five["name"] = "six"
                    try context.save()
                    _ = context.insert("Plain")
                    let keyless = try #require(saveError { try context.save() })
                    #expect(
                        keyless.code == .readOnly
                            && keyless.message.contains("because its key has no default"))
                    context.rollback()
                    _ = context.insert("Tiny")
                    #expect(saveError { try context.save() }?.code == .validation)
                    context.rollback()
                    #expect(throws: FetchError.self) { try Self.fetch(context, "Minus") }
                }
            }
            #expect(try shop.sql.rows("SELECT name, _version::text FROM plain") == [["six", "1"]])
        }
    }

    @Test func allDifferencesAreSaidWhenItIsOpened() async throws {
        try await Shop.with(Shop.tables) { shop in
            let model = try shop.pulled()
            try shop.sql.rows("ALTER TABLE customer DROP COLUMN mood")
            try shop.sql.rows("ALTER TABLE purchase ALTER total TYPE text")
            let error = try #require(await shop.openingError(model))
            #expect(error.code == .schemaMismatch)
            #expect(error.message.contains("customer.mood") && error.message.contains("purchase.total"))
            #expect(try shop.relations().contains("_howdah_store") == false)
        }
    }

    @Test func fetchesSortAsMemoryDoesWhateverTheColumnsCollation() async throws {
        try await Shop.with(
            """
            CREATE TABLE word (id serial PRIMARY KEY, text text COLLATE "und-x-icu");
            INSERT INTO word (text) VALUES ('b'), ('A'), ('a'), ('B'), ('ä');
            """
        ) { shop in
            try await shop.open { container in
                try await container.perform { context in
                    let all = try Self.words(context, nil)
                    #expect(all == ["A", "B", "a", "b", "ä"])
                    #expect(try Self.words(context, "text < 'a'") == ["A", "B"])
                    #expect(try Self.words(context, "text BETWEEN {'a', 'b'}") == ["a", "b"])
                    #expect(try Self.words(context, "text == 'a'") == ["a"])
                }
            }
        }
    }

    @Test func theStatementsAreThoseOfAStoreOfItsOwn() async throws {
        try await Shop.with(Shop.tables) { shop in
            try await shop.open { container in
                let log = container.statementLog
                try await container.perform { context in
                    log.start()
                    let ada = try #require(try Self.fetch(context, "Customer", "name == 'Ada'").first)
                    #expect(log.statements.count == 1)
                    #expect(log.statements[0].sql.contains("SELECT t0.\"id\", t0.\"_version\", "))
                    ada["code"] = "C"
                    try context.save()
                    #expect(log.statements.count == 2)
                    #expect(log.statements[1].sql.hasSuffix("WHERE \"id\" = $2 AND \"_version\" = $3"))
                }
            }
        }
    }
}
