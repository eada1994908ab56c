import Howdah
import TestSupport
import Testing

@testable import HowdahRuntime

extension DerivedModel {
    /// Says which rows of the database have a derived attribute that does not follow from the rest.
    static func wrongRows(_ sql: PlainSQL) throws -> [String] {
        let rules = [
            ("firm", "department_count", "(SELECT count(*) FROM department m WHERE m.firm = o._id)"),
            ("department", "headcount", "(SELECT count(*) FROM employee m WHERE m.department = o._id)"),
            (
                "department", "payroll",
                "(SELECT coalesce(sum(m.salary), 0) FROM employee m WHERE m.department = o._id)"
            ),
            ("department", "firm_name", "(SELECT f.name FROM firm f WHERE f._id = o.firm)"),
            ("department", "lead_count", "(SELECT count(*) FROM boss_leads l WHERE l.\"leads_2\" = o._id)"),
            (
                "employee", "firm_name",
                "(SELECT f.name FROM firm f, department d WHERE f._id = d.firm AND d._id = o.department)"
            ),
            ("employee", "desk_code", "(SELECT d.code FROM desk d WHERE DESK)"),
            ("desk", "owner_name", "(SELECT e.name FROM employee e WHERE OWNER)"),
            (
                "employee", "skill_weight",
                "(SELECT coalesce(sum(s.weight), 0) FROM skill s, LINKS l WHERE l.SKILL = s._id AND l.HOLDER = o._id)"
            ),
            ("skill", "holder_count", "(SELECT count(*) FROM LINKS l WHERE l.SKILL = o._id)"),
        ]
        let schema = try StoreSchema(model())
        return try rules.flatMap { table, column, value in
            try sql.rows(
                "SELECT '\(table).\(column) of ' || o._id || ' is ' || coalesce(\(column)::text, '-') || ', not ' || "
                    + "coalesce(\(try resolved(value, schema))::text, '-') FROM \(table) o "
                    + "WHERE \(column) IS DISTINCT FROM \(try resolved(value, schema))"
            ).compactMap { $0[0] }
        }
    }

    /// Puts in the names of columns and tables that depend on which side of a relationship leads.
    private static func resolved(_ value: String, _ schema: StoreSchema) throws -> String {
        var value = value
        if case .join(let join)? = schema.entities["Employee"]?.property(named: "skills")?.mapping {
            value = value.replacing("LINKS", with: join.joinTable).replacing("HOLDER", with: join.ownColumn)
                .replacing("SKILL", with: join.otherColumn)
        }
        if case .join(let join)? = schema.entities["Department"]?.property(named: "leads")?.mapping {
            value = value.replacing("boss_leads", with: join.joinTable)
                .replacing("\"leads_2\"", with: join.ownColumn)
        }
        switch try #require(schema.entities["Employee"]?.property(named: "desk")?.mapping) {
        case .toOne(let column):
            return value.replacing("DESK", with: "d._id = o.\(column.column)")
                .replacing("OWNER", with: "e.\(column.column) = o._id")
        case .inverse(let column):
            return value.replacing("DESK", with: "d.\(column.column) = o._id")
                .replacing("OWNER", with: "e._id = o.\(column.column)")
        default: return value
        }
    }

    /// Says which loaded objects of a context show another derived value than their row has.
    static func wrongObjects(_ context: ManagedObjectContext) throws -> [String] {
        var wrong: [String] = []
        for object in context.registry.all where !object.isFault && !object.hasChanges {
            let shown = derivedValues(object)
            context.refresh(object)
            let stored = derivedValues(object)
            if shown != stored { wrong.append("\(object.entityName) \(object.key): \(shown), not \(stored)") }
        }
        return wrong
    }

    private static func derivedValues(_ object: ManagedObject) -> [String] {
        object.layout.slots.indices.filter { object.layout.attribute($0)?.isDerived == true }.map { slot in
            _ = object.isFault ? object.value(forKey: object.layout.slots[slot].name) : nil
            return "\(object.layout.slots[slot].name)=\(object._value(at: slot))"
        }
    }
}
