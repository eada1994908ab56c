import Howdah
import HowdahModel
import PQClient
import Testing

@testable import HowdahRuntime

extension RuleStore {
    /// Adds an item to an owner by statements of `session`; its key.
    func insertMember(of owner: ObjectID<ManagedObject>, by session: RuleSession) throws -> Int64 {
        let (owners, items) = (
            try #require(schema.entities[shape.owner(rule)]), try #require(schema.entities[shape.item(rule)])
        )
        let table = { (name: String) in SQLIdentifier.quoted(schema.schemaName, name) }
        switch try #require(owners.properties.first { $0.name == "items" }) {
        case .inverse(let mapping):
            let rows = try session.run(
                "INSERT INTO \(table(mapping.table)) (\(SQLIdentifier.quoted(mapping.column))) VALUES ($1) "
                    + "RETURNING _id", owner.key)
            return try #require(rows[0][0])
        case .join(let mapping):
            let rows = try session.run("INSERT INTO \(table(items.table)) DEFAULT VALUES RETURNING _id")
            let key = try #require(rows[0][0])
            try session.run(
                "INSERT INTO \(table(mapping.joinTable)) (\(SQLIdentifier.quoted(mapping.ownColumn)), "
                    + "\(SQLIdentifier.quoted(mapping.otherColumn))) VALUES ($1, $2)", owner.key, key)
            return key
        default:
            Issue.record("\(shape) has no place for a member")
            return 0
        }
    }

    /// The version of an item's row; nil where there is none.
    func version(of item: Int64) throws -> Int64? {
        let mapping = try #require(schema.entities[shape.item(rule)])
        return try sql.run(
            "SELECT _version FROM \(SQLIdentifier.quoted(schema.schemaName, mapping.table)) WHERE _id = $1",
            item
        ).first?[0]
    }

    /// The number of foreign keys and links that lead nowhere.
    func orphans() throws -> Int {
        let owners = try #require(schema.entities[shape.owner(rule)])
        let table = { (name: String) in SQLIdentifier.quoted(schema.schemaName, name) }
        let (source, column): (String, String)
        switch try #require(owners.properties.first { $0.name == "items" }) {
        case .inverse(let mapping): (source, column) = (mapping.table, mapping.column)
        case .join(let mapping): (source, column) = (mapping.joinTable, mapping.ownColumn)
        default: return 0
        }
        let name = SQLIdentifier.quoted(column)
        return try sql.run(
            "SELECT 1::bigint FROM \(table(source)) s WHERE s.\(name) IS NOT NULL AND NOT EXISTS "
                + "(SELECT FROM \(table(owners.table)) t WHERE t._id = s.\(name))"
        ).count
    }
}
