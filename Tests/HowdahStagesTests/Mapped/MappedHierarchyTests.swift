import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// Entities that come into one table, and leave it again, under their ids.
@Suite(.needsSession) struct MappedHierarchyTests {
    private static let name = PropertyDescription.attribute("name", .string, optional: false)

    /// A company, and the entities that it leads to.
    private static func model(
        company: [PropertyDescription], _ others: EntityDescription...
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [EntityDescription("Company", properties: [name] + company)] + others)
    }

    /// Employees and customers in tables of their own.
    private enum Apart: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try MappedHierarchyTests.model(
                    company: [
                        .relationship("employees", to: "Employee", inverse: "company", toMany: true),
                        .relationship("customers", to: "Customer", inverse: "company", toMany: true),
                    ],
                    EntityDescription(
                        "Employee",
                        properties: [
                            name, .attribute("salary", .integer32),
                            .relationship("company", to: "Company", inverse: "employees"),
                        ]),
                    EntityDescription(
                        "Customer",
                        properties: [name, .relationship("company", to: "Company", inverse: "customers")]))
            }
        }
    }

    /// Both are people, and all in one table.
    private enum Together: VersionedSchema {
        static var model: ManagedObjectModel {
            get throws {
                try MappedHierarchyTests.model(
                    company: [
                        .relationship("people", to: "Person", inverse: "company", toMany: true),
                        .relationship("first", to: "Person", inverse: "firstOf"),
                    ],
                    EntityDescription(
                        "Person", abstract: true,
                        properties: [
                            name, .relationship("company", to: "Company", inverse: "people"),
                            .relationship("firstOf", to: "Company", inverse: "first", toMany: true),
                        ]),
                    EntityDescription(
                        "Employee", superentity: "Person", properties: [.attribute("salary", .integer32)]),
                    EntityDescription("Customer", superentity: "Person"))
            }
        }
    }

    private static func person(
        _ entity: String, _ attributes: [String], company: Bool
    ) -> EntityMapping {
        EntityMapping(
            from: entity, to: entity,
            attributeMappings: attributes.map { PropertyMapping($0, .source($0)) },
            relationshipMappings: company
                ? [
                    PropertyMapping(
                        "company",
                        .destinationInstances(
                            forSourceRelationshipNamed: "company", sourceInstances: .source("company")))
                ] : [])
    }

    private static let stages: [MigrationStage] = [
        .mapped(
            from: Apart.self, to: Together.self,
            mapping: MappingModel(entityMappings: [
                person("Employee", ["name", "salary"], company: true),
                person("Customer", ["name"], company: true),
                EntityMapping(
                    from: "Company", to: "Company",
                    attributeMappings: [PropertyMapping("name", .source("name"))],
                    entityMigrationPolicyClassName: "First"),
            ]), policies: ["First": First.self])
    ]

    /// Takes the first of several.
    private final class First: EntityMigrationPolicy {
        override func createRelationships(
            forDestination destination: ManagedObject, in mapping: EntityMapping,
            manager: MigrationManager
        ) throws {
            let source = try manager.sourceInstances(
                forEntityMappingName: mapping.name, destinationInstances: [destination])
            let customers = source.flatMap { $0["customers"] as? [ManagedObject] ?? [] }
                .sorted { $0.objectID.key < $1.objectID.key }
            destination["first"] = try manager.destinationInstances(
                forEntityMappingName: "CustomerToCustomer", sourceInstances: customers
            ).first
        }
    }

    private static let back: MigrationStage = .mapped(
        from: Together.self, to: Apart.self,
        mapping: MappingModel(entityMappings: [
            EntityMapping(
                from: "Company", to: "Company", attributeMappings: [PropertyMapping("name", .source("name"))],
                relationshipMappings: [
                    PropertyMapping(
                        "employees",
                        .destinationInstances(
                            forEntityMappingNamed: "EmployeeToEmployee", sourceInstances: .source("people"))),
                    PropertyMapping(
                        "customers",
                        .destinationInstances(
                            forEntityMappingNamed: "CustomerToCustomer", sourceInstances: .source("people"))),
                ]), person("Employee", ["name", "salary"], company: false),
            person("Customer", ["name"], company: false),
        ]), confirmedDrops: ["Company.first"])

    nonisolated(nonsending) private static func lines(
        _ container: PersistentContainer, _ relationships: [String]
    ) async throws -> [String] {
        try await container.perform { context in
            try context.fetch("Company").map { company in
                let people = relationships.flatMap { company[$0] as? [ManagedObject] ?? [] }.map {
                    "\($0.objectID.key) \($0.entityName) \($0["name"] ?? "")"
                }
                return "\(company.objectID.key) \(company["name"] ?? ""): \(people.sorted())"
            }.sorted()
        }
    }

    @Test func idsStayInAnyTable() async throws {
        let model = try Apart.model
        try await withTestDatabase(for: model) { database in
            let apart = try await PersistentContainer.open(database.url, model: model)
            try await apart.perform { context in
                for number in 0..<3 {
                    let company = context.insert("Company")
                    company["name"] = "company \(number)"
                    for member in 0..<number {
                        for entity in ["Employee", "Customer"] {
                            let person = context.insert(entity)
                            person["name"] = "\(entity) \(number).\(member)"
                            person["company"] = company
                            if entity == "Employee" { person["salary"] = 100 + member }
                        }
                    }
                }
                try context.save()
            }
            let before = try await Self.lines(apart, ["employees", "customers"])
            await apart.close()
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Self.stages)
            let together = try await PersistentContainer.open(
                database.url, model: Together.model, options: options)
            #expect(try await Self.lines(together, ["people"]) == before)
            let firsts = try await together.perform { context in
                try context.fetch("Company").map { "\($0.value(forKey: "first.name") ?? "none")" }.sorted()
            }
            #expect(firsts == ["Customer 1.0", "Customer 2.0", "none"])
            await together.close()
            // Opening never goes back by itself; to this store, the way is new.
            try PlainSQL(url: database.url).rows("DELETE FROM _howdah_migration")
            options.stagedMigrationManager = StagedMigrationManager([Self.back])
            let again = try await PersistentContainer.open(database.url, model: model, options: options)
            #expect(try await Self.lines(again, ["employees", "customers"]) == before)
            let salaries = try await again.perform { context in
                try context.fetch("Employee").compactMap { $0["salary"] as? Int64 }.sorted()
            }
            #expect(salaries == [100, 100, 101])
            await again.close()
        }
    }

    @Test func nothingIsMadeOfAnAbstractEntity() throws {
        let stage = MappedMigrationStage(
            migratingFrom: ManagedObjectModelReference(versionChecksum: try Apart.model.versionChecksum),
            to: ManagedObjectModelReference(versionChecksum: try Together.model.versionChecksum),
            mapping: MappingModel(entityMappings: [
                EntityMapping(
                    from: "Employee", to: "Person",
                    attributeMappings: [PropertyMapping("name", .source("name"))])
            ]))
        let error = #expect(throws: MigrationError.self) {
            try stage.plan(from: Apart.model, to: Together.model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.message.contains("Person is abstract") == true, "\(error?.message ?? "")")
    }
}
