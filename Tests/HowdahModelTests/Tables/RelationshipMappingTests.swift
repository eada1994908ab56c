import HowdahModel
import Testing

/// Which column or table a relationship becomes, and what the foreign key does on delete.
struct RelationshipMappingTests {
    private static let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]

    private static func schema(_ there: PropertyDescription, _ back: PropertyDescription? = nil) throws
        -> StoreSchema
    {
        try StoreSchema(
            ManagedObjectModel(entities: [
                EntityDescription("A", properties: [there]),
                EntityDescription("B", properties: [back].compactMap { $0 }),
            ]))
    }

    @Test(arguments: rules, [true, false])
    func toManyRules(rule: DeleteRule, optional: Bool) throws {
        let schema = try Self.schema(
            .relationship("bs", to: "B", inverse: "a", toMany: true, deleteRule: rule),
            .relationship("a", to: "A", inverse: "bs", optional: optional, deleteRule: .cascade))
        let table = try #require(schema.table(named: "b"))
        #expect(table.column("a")?.isNullable == optional)
        #expect(table.indexes.map(\.columns) == [["a"]])
        let expected: StoreSchema.ForeignKey.Action? =
            switch rule {
            case .cascade: .cascade
            case .deny: .noAction
            case .noAction: nil
            default: optional ? .setNull : .noAction
            }
        #expect(table.foreignKeys.first?.onDelete == expected)
        guard case .inverse(let mapping) = schema.entities["A"]?.property(named: "bs")?.mapping else {
            Issue.record("bs is not stored in its inverse")
            return
        }
        #expect(
            mapping.table == "b" && mapping.column == "a" && !mapping.isToOne && mapping.orderColumn == nil)
    }

    @Test(arguments: rules, rules)
    func oneToOneColumnKeepsTheStricterRule(ruleOfA: DeleteRule, ruleOfB: DeleteRule) throws {
        let schema = try Self.schema(
            .relationship("b", to: "B", inverse: "a", deleteRule: ruleOfA),
            .relationship("a", to: "A", inverse: "b", deleteRule: ruleOfB))
        let order = [DeleteRule.noAction, .nullify, .cascade, .deny]
        let (a, b) = (order.firstIndex(of: ruleOfA) ?? 0, order.firstIndex(of: ruleOfB) ?? 0)
        // A foreign key in a table acts when the other table's row goes.
        let holder = try #require(schema.table(named: a > b ? "b" : "a"))
        let kept = max(a, b)
        #expect(holder.uniques.map(\.columns) == [[a > b ? "a" : "b"]])
        #expect(holder.foreignKeys.map(\.onDelete) == [[], [.setNull], [.cascade], [.noAction]][kept])
        #expect(schema.table(named: a > b ? "a" : "b")?.columns.count == 2)
    }

    @Test func oneToOneColumnGoesToTheRequiredSideOfEqualRules() throws {
        let schema = try Self.schema(
            .relationship("b", to: "B", inverse: "a"),
            .relationship("a", to: "A", inverse: "b", optional: false))
        #expect(schema.table(named: "b")?.column("a")?.isNullable == false)
        guard case .inverse(let mapping) = schema.entities["A"]?.property(named: "b")?.mapping else {
            Issue.record("b is not stored in its inverse")
            return
        }
        #expect(mapping.isToOne)
    }

    @Test(arguments: rules, rules)
    func linksFollowTheRuleOfTheirOwner(ruleOfA: DeleteRule, ruleOfB: DeleteRule) throws {
        let schema = try Self.schema(
            .relationship("bs", to: "B", inverse: "as", toMany: true, ordered: true, deleteRule: ruleOfA),
            .relationship("as", to: "A", inverse: "bs", toMany: true, deleteRule: ruleOfB))
        let table = try #require(schema.table(named: "a_bs"))
        #expect(table.columns.map(\.name) == ["as", "bs", "bs_order"])
        #expect(table.primaryKey == ["as", "bs"] && table.indexes.map(\.columns) == [["bs", "as"]])
        func action(_ rule: DeleteRule) -> StoreSchema.ForeignKey.Action? {
            rule == .noAction ? nil : rule == .deny ? .noAction : .cascade
        }
        #expect(table.foreignKeys.first { $0.columns == ["as"] }?.onDelete == action(ruleOfA))
        #expect(table.foreignKeys.first { $0.columns == ["bs"] }?.onDelete == action(ruleOfB))
        guard case .join(let there) = schema.entities["A"]?.property(named: "bs")?.mapping,
            case .join(let back) = schema.entities["B"]?.property(named: "as")?.mapping
        else {
            Issue.record("there is no join table")
            return
        }
        #expect([there.ownColumn, there.otherColumn, there.destinationTable] == ["as", "bs", "b"])
        #expect([back.ownColumn, back.otherColumn, back.destinationTable] == ["bs", "as", "a"])
        #expect(
            there.ownOrderColumn == "bs_order" && back.otherOrderColumn == "bs_order"
                && back.ownOrderColumn == nil)
    }

    @Test func withoutInverse() throws {
        func toOne(optional: Bool, _ rule: DeleteRule) throws -> StoreSchema.ForeignKey.Action? {
            try Self.schema(.relationship("b", to: "B", optional: optional, deleteRule: rule)).table(
                named: "a")?
                .foreignKeys.first?.onDelete
        }
        #expect(try toOne(optional: true, .nullify) == .setNull)
        #expect(try toOne(optional: false, .nullify) == .noAction)
        #expect(try toOne(optional: true, .cascade) == .setNull)
        #expect(try toOne(optional: true, .noAction) == nil)
        let many = try Self.schema(
            .relationship("bs", to: "B", toMany: true, optional: false, deleteRule: .deny))
        let table = try #require(many.table(named: "a_bs"))
        #expect(table.columns.map(\.name) == ["a", "bs"])
        #expect(table.foreignKeys.map(\.onDelete) == [.noAction, .cascade])
    }

    @Test func orderLivesBesideTheForeignKey() throws {
        let schema = try Self.schema(
            .relationship("bs", to: "B", inverse: "a", toMany: true, ordered: true),
            .relationship("a", to: "A", inverse: "bs"))
        let table = try #require(schema.table(named: "b"))
        #expect(table.column("a_order")?.type == .int8 && table.column("a_order")?.isNullable == true)
        #expect(table.indexes.map(\.columns) == [["a", "a_order"]])
    }

    @Test func relationshipsWithTheirOwnInverse() throws {
        let schema = try StoreSchema(
            ManagedObjectModel(entities: [
                EntityDescription(
                    "Person",
                    properties: [
                        .relationship("spouse", to: "Person", inverse: "spouse"),
                        .relationship("friends", to: "Person", inverse: "friends", toMany: true),
                    ])
            ]))
        #expect(schema.table(named: "person")?.uniques.map(\.columns) == [["spouse"]])
        #expect(schema.table(named: "person_friends")?.columns.map(\.name) == ["person", "friends"])
    }

    @Test func referencesIntoHierarchiesCarryTheEntity() throws {
        let schema = try StoreSchema(
            ManagedObjectModel(entities: [
                EntityDescription("Root", abstract: true), EntityDescription("Leaf", superentity: "Root"),
                EntityDescription("Other", superentity: "Root"),
                EntityDescription(
                    "A",
                    properties: [
                        .relationship("leaf", to: "Leaf", optional: false), .relationship("any", to: "Root"),
                        .relationship("loose", to: "Root", deleteRule: .noAction),
                    ]),
            ]))
        let table = try #require(schema.table(named: "a"))
        #expect(table.foreignKeys.map(\.columns) == [["leaf", "leaf_entity"], ["any", "any_entity"]])
        #expect(table.foreignKeys.map(\.referencedColumns) == [["_id", "_entity"], ["_id", "_entity"]])
        #expect(table.column("leaf_entity")?.isNullable == false)
        let conditions = table.checks.map(\.condition)
        #expect(
            conditions == [
                .isOneOf(column: "leaf_entity", ["Leaf"]), .allOrNone(["any", "any_entity"]),
                .isOneOf(column: "any_entity", ["Leaf", "Other"]), .allOrNone(["loose", "loose_entity"]),
                .isOneOf(column: "loose_entity", ["Leaf", "Other"]),
            ])
        #expect(schema.table(named: "root")?.uniques.map(\.columns) == [["_id", "_entity"]])
    }
}
