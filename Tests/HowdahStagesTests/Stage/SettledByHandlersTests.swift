import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime

/// What rows lack for a new model, handlers of the stage that brings it may supply.
@Suite(.needsSession) struct SettledByHandlersTests {
    private static func model(
        _ person: PropertyDescription..., unique: [[String]] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Person", properties: person, uniquenessConstraints: unique)
        ])
    }

    private static let name = PropertyDescription.attribute("name", .string)

    /// Takes three people, two of the same name, from one model to another with these handlers; their names and what is
    /// in one property afterwards, sorted.
    private static func migrate(
        _ old: ManagedObjectModel, _ new: ManagedObjectModel, reading property: String = "name",
        confirming drops: Set<String> = [],
        willMigrate: CustomMigrationStage.Handler? = nil, didMigrate: CustomMigrationStage.Handler? = nil
    ) async throws -> [String] {
        try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { context in
                for (number, name) in ["Ada", "Ada", "Bob"].enumerated() {
                    let person = context.insert("Person")
                    person["name"] = name
                    if old["Person"]?.properties.count ?? 0 > 1 { person["age"] = "\(30 + number)" }
                }
                try context.save()
            }
            await before.close()
            var stage = CustomMigrationStage(
                migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum))
            stage.confirmedDrops = drops
            stage.willMigrateHandler = willMigrate
            stage.didMigrateHandler = didMigrate
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([stage])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let people = try await after.perform { context in
                try Self.people(context).map { "\($0["name"] ?? "nil") \($0[property] ?? "nil")" }.sorted()
            }
            await after.close()
            return people
        }
    }

    private static func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: "Person")
        request.sortDescriptors = [.key("name", ascending: true)]
        return try context.fetch(request)
    }

    /// The column is there, and may be empty until the handler is done: predicates find what is.
    @Test func aNewRequiredAttributeIsFilledAfterTheSteps() async throws {
        let people = try await Self.migrate(
            Self.model(Self.name), Self.model(Self.name, .attribute("kind", .string, optional: false)),
            reading: "kind",
            didMigrate: { context in
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = .format("kind == nil")
                let found = try context.fetch(request)
                #expect(found.count == 3)
                for person in found { person["kind"] = "human" }
                try context.save()
            })
        #expect(people == ["Ada human", "Ada human", "Bob human"])
    }

    @Test func whatAHandlerForgetsIsFoundAfterIt() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await Self.migrate(
                Self.model(Self.name), Self.model(Self.name, .attribute("kind", .string, optional: false)),
                didMigrate: { context in
                    try Self.people(context).first?["kind"] = "human"
                    try context.save()
                })
        }
        #expect(
            error?.message.contains("Person.kind is required but has no value: 2 objects") == true
        )
    }

    @Test(arguments: [false, true]) func duplicatesGoBeforeNamesAreUnique(isAfter: Bool) async throws {
        let merge: CustomMigrationStage.Handler = { context in
            var seen: Set<String> = []
            for person in try Self.people(context) {
                if !seen.insert(person["name"] as? String ?? "").inserted { context.delete(person) }
            }
            try context.save()
        }
        let people = try await Self.migrate(
            Self.model(Self.name), Self.model(Self.name, unique: [["name"]]),
            willMigrate: isAfter ? nil : merge, didMigrate: isAfter ? merge : nil)
        #expect(people == ["Ada Ada", "Bob Bob"])
    }

    /// A type that cannot be inferred: the values are confirmed to go, and carried over by the handlers.
    @Test func valuesAreCarriedFromOneTypeToAnother() async throws {
        let ages = AgeBox()
        let people = try await Self.migrate(
            Self.model(Self.name, .attribute("age", .string)),
            Self.model(Self.name, .attribute("age", .integer64, optional: false)), reading: "age",
            confirming: ["Person.age"],
            willMigrate: { context in
                for person in try Self.people(context) {
                    let key = person.objectID.key
                    ages.values.withLock { $0[key] = Int64(person["age"] as? String ?? "") }
                }
            },
            didMigrate: { context in
                for person in try Self.people(context) {
                    let key = person.objectID.key
                    person["age"] = ages.values.withLock { $0[key] }
                }
                try context.save()
            })
        #expect(people == ["Ada 30", "Ada 31", "Bob 32"])
    }

    /// References to a hierarchy lead to the key and the entity: both are there when the handler runs.
    @Test func aHandlerLinksToANewHierarchy() async throws {
        let old = try Self.model(Self.name)
        let new = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [Self.name, .relationship("topic", to: "Topic", inverse: "people")]),
            EntityDescription(
                "Topic", abstract: true,
                properties: [.relationship("people", to: "Person", inverse: "topic", toMany: true)]),
            EntityDescription("Site", superentity: "Topic"), EntityDescription("Tag", superentity: "Topic"),
        ])
        let people = try await Self.migrate(
            old, new,
            didMigrate: { context in
                for person in try Self.people(context) { person["topic"] = context.insert("Tag") }
                try context.save()
            })
        #expect(people == ["Ada Ada", "Ada Ada", "Bob Bob"])
    }

    /// One of two to-ones that are inverses has the column because it is required, also where it is not yet.
    @Test func aHandlerFillsARequiredOneToOne() async throws {
        let old = try ManagedObjectModel(entities: [
            EntityDescription("Person", properties: [Self.name]),
            EntityDescription("Account", properties: [.attribute("number", .integer64)]),
        ])
        let new = try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    Self.name, .relationship("account", to: "Account", inverse: "owner", optional: false),
                ]),
            EntityDescription(
                "Account",
                properties: [
                    .attribute("number", .integer64),
                    .relationship("owner", to: "Person", inverse: "account"),
                ]),
        ])
        let people = try await Self.migrate(
            old, new,
            didMigrate: { context in
                for person in try Self.people(context) { person["account"] = context.insert("Account") }
                try context.save()
            })
        #expect(people.count == 3)
    }

    private final class AgeBox: Sendable {
        let values = Mutex<[Int64: Int64]>([:])
    }
}
