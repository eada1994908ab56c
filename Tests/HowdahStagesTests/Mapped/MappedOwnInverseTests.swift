import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Links that a mapping gives to a relationship that is its own inverse, from either end.
@Suite(.needsSession) struct MappedOwnInverseTests {
    private final class Plain: EntityMigrationPolicy {}

    struct Form: CustomTestStringConvertible, Sendable {
        var toMany = false
        var ordered = false
        var hasPolicy = false

        var testDescription: String {
            [toMany ? "to-many" : "to-one", ordered ? "ordered" : nil, hasPolicy ? "policy" : nil]
                .compactMap(\.self).joined(separator: ", ")
        }
    }

    private static let forms = [
        Form(), Form(hasPolicy: true), Form(toMany: true), Form(toMany: true, hasPolicy: true),
        Form(toMany: true, ordered: true),
    ]

    private static func model(_ form: Form, inverse: String?) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "P",
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "mate", to: "P", inverse: inverse, toMany: form.toMany, ordered: form.ordered),
                ])
        ])
    }

    private static func mapping(_ form: Form) -> MappingModel {
        MappingModel(entityMappings: [
            EntityMapping(
                from: "P", to: "P", attributeMappings: [PropertyMapping("name", .source("name"))],
                relationshipMappings: [
                    PropertyMapping(
                        "mate",
                        .destinationInstances(
                            forSourceRelationshipNamed: "mate", sourceInstances: .source("mate")))
                ], entityMigrationPolicyClassName: form.hasPolicy ? "Plain" : nil)
        ])
    }

    private static func fill(
        _ context: ManagedObjectContext, _ form: Form, _ links: [(String, String)]
    ) throws {
        var objects: [String: ManagedObject] = [:]
        for name in ["a", "b", "c"] {
            let object = context.insert("P")
            object["name"] = name
            objects[name] = object
            try context.save()
        }
        for (owner, member) in links {
            if form.toMany {
                objects[owner]?["mate"] = links.filter { $0.0 == owner }.compactMap { objects[$0.1] }
            } else {
                objects[owner]?["mate"] = objects[member]
            }
        }
        try context.save()
    }

    private static func mates(of object: ManagedObject, _ form: Form) -> [ManagedObject] {
        if !form.toMany { return [object["mate"] as? ManagedObject].compactMap(\.self) }
        return form.ordered
            ? Array(object.orderedMembers(forKey: "mate")) : Array(object.members(forKey: "mate"))
    }

    /// The mates of each object by name, after a store with these links was migrated.
    private static func mates(_ form: Form, _ links: [(String, String)]) async throws -> [String: [String]] {
        let (old, new) = (try model(form, inverse: nil), try model(form, inverse: "mate"))
        return try await withTestDatabase(for: old) { database in
            let before = try await PersistentContainer.open(database.url, model: old)
            try await before.perform { try fill($0, form, links) }
            await before.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MappedMigrationStage(
                    migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
                    to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum),
                    mapping: mapping(form), policies: form.hasPolicy ? ["Plain": Plain.self] : [:])
            ])
            let after = try await PersistentContainer.open(database.url, model: new, options: options)
            let found = try await after.perform { context in
                var found: [String: [String]] = [:]
                for object in try context.fetch("P") {
                    found[object["name"] as? String ?? ""] = mates(of: object, form).map {
                        $0["name"] as? String ?? ""
                    }.sorted()
                }
                return found
            }
            await after.close()
            return found
        }
    }

    @Test(arguments: forms) func bothEndsAreWritten(_ form: Form) async throws {
        for link in [("a", "b"), ("b", "a")] {
            let found = try await Self.mates(form, [link])
            #expect(found == ["a": ["b"], "b": ["a"], "c": []], "\(link)")
        }
        let both = try await Self.mates(form, [("a", "b"), ("b", "a")])
        #expect(both == ["a": ["b"], "b": ["a"], "c": []])
    }

    @Test(arguments: forms.filter(\.toMany)) func severalMembersAreKept(_ form: Form) async throws {
        let found = try await Self.mates(form, [("a", "b"), ("c", "b"), ("b", "b")])
        #expect(found == ["a": ["b"], "b": ["a", "b", "c"], "c": ["b"]])
    }

    @Test(arguments: forms.filter { !$0.toMany }) func severalForOneAreRefused(_ form: Form) async throws {
        for links in [[("a", "b"), ("b", "c")], [("a", "b"), ("c", "b")], [("b", "c"), ("a", "b")]] {
            let error = await #expect(throws: StoreError.self) { _ = try await Self.mates(form, links) }
            #expect(
                error?.message.contains("P.mate refers to at most one object, but there are several") == true,
                "\(String(describing: error))")
        }
    }
}
