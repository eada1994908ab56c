import HowdahModel
import Testing

/// The names of key and version, where they are not the store's own.
struct OwnColumnsTests {
    private static func shop(
        order: [String: String] = [:], line: [String: String] = [:], properties: [PropertyDescription] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Order",
                properties: [.relationship("lines", to: "Line", inverse: "order", toMany: true)] + properties,
                userInfo: order),
            EntityDescription(
                "Line", properties: [.relationship("order", to: "Order", inverse: "lines")], userInfo: line),
            EntityDescription("Gift", superentity: "Order"),
        ])
    }

    private static func issues(_ model: ManagedObjectModel) -> [ModelIssue] {
        do {
            _ = try StoreSchema(model)
            return []
        } catch {
            return error.issues
        }
    }

    @Test func theNamesReachColumnsKeysAndReferences() throws {
        let schema = try StoreSchema(
            Self.shop(
                order: [MappingKey.key: "id", MappingKey.version: "lock"],
                line: [MappingKey.key: "nr", MappingKey.version: MappingKey.noVersion]))
        let order = try #require(schema.table(named: "order"))
        let line = try #require(schema.table(named: "line"))
        #expect(order.columns.map(\.name) == ["id", "lock", "_entity"])
        #expect(order.primaryKey == ["id"] && order.uniques.first?.columns == ["id", "_entity"])
        #expect(line.columns.map(\.name) == ["nr", "order", "order_entity"])
        #expect(line.foreignKeys.first?.referencedColumns == ["id", "_entity"])
        let gift = try #require(schema.entities["Gift"])
        #expect(gift.keyColumn == "id" && gift.versionColumn == "lock")
        #expect(schema.entities["Line"]?.versionColumn == nil)
        #expect(schema.refusalOfOwnStore?.hasPrefix("Line ") == true)
    }

    @Test func withoutThemEverythingIsAsBefore() throws {
        let schema = try StoreSchema(Self.shop())
        #expect(schema.table(named: "line")?.columns.prefix(2).map(\.name) == ["_id", "_version"])
        #expect(schema.entities["Gift"]?.keyColumn == "_id" && schema.refusalOfOwnStore == nil)
    }

    @Test func theyArePartOfTheChecksum() throws {
        let plain = try Self.shop().versionChecksum
        let keyed = try Self.shop(order: [MappingKey.key: "id"]).versionChecksum
        let versioned = try Self.shop(order: [MappingKey.version: "none"]).versionChecksum
        #expect(Set([plain, keyed, versioned]).count == 3)
    }

    @Test(arguments: [
        ([MappingKey.key: ""], "empty"), ([MappingKey.key: "none"], "every row needs a key"),
        ([MappingKey.key: "_entity"], "reserved"), ([MappingKey.version: "xmin"], "reserved"),
        ([MappingKey.version: String(repeating: "x", count: 64)], "longer"),
        ([MappingKey.key: "id", MappingKey.version: "id"], "are both"),
    ])
    func namesThatCannotBeAreRefused(_ info: [String: String], _ words: String) throws {
        let issues = Self.issues(try Self.shop(order: info))
        #expect(issues.contains { $0.entityName == "Order" && $0.message.contains(words) }, "\(issues)")
    }

    @Test func aSubentityAndAPropertyHaveNone() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "A", properties: [.attribute("x", .string, userInfo: [MappingKey.version: "none"])]),
            EntityDescription("B", superentity: "A", userInfo: [MappingKey.key: "id"]),
        ])
        let issues = Self.issues(model)
        #expect(issues.contains { $0.entityName == "B" && $0.message.contains("Set howdah.key in A") })
        #expect(
            issues.contains { $0.propertyName == "x" && $0.message.contains("a property cannot have it") })
    }

    @Test func aPropertyDoesNotTakeTheirColumns() throws {
        let own = Self.issues(
            try Self.shop(order: [MappingKey.key: "id"], properties: [.attribute("id", .integer64)]))
        #expect(own.contains { $0.propertyName == "id" && $0.message.contains("the object's objectID") })
        let given = Self.issues(
            try Self.shop(
                order: [MappingKey.version: "lock"],
                properties: [.attribute("x", .integer64, userInfo: [MappingKey.column: "lock"])]))
        #expect(given.contains { $0.propertyName == "x" })
        // A to-many has no column, and the names that are no longer taken are free.
        let model = try Self.shop(
            order: [MappingKey.key: "lines", MappingKey.version: "none"],
            properties: [.attribute("x", .string, userInfo: [MappingKey.column: "_version"])])
        #expect(Self.issues(model) == [])
    }

    @Test func theSideThatNamesAColumnHoldsAOneToOne() throws {
        func holder(_ a: [String: String], _ b: [String: String]) throws -> [String] {
            let model = try ManagedObjectModel(entities: [
                EntityDescription(
                    "A", properties: [.relationship("b", to: "B", inverse: "a", userInfo: a)]),
                EntityDescription(
                    "B", properties: [.relationship("a", to: "A", inverse: "b", userInfo: b)]),
            ])
            return try StoreSchema(model).tables.filter { $0.columns.count == 3 }.map(\.name)
        }
        #expect(try holder([:], [:]) == ["a"])
        #expect(try holder([:], [MappingKey.column: "a_id"]) == ["b"])
        #expect(try holder([MappingKey.column: "b_id"], [:]) == ["a"])
    }
}
