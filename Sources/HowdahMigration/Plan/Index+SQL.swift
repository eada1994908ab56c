package import HowdahModel
internal import PQClient

extension StoreSchema.Index {
    /// The index; plain ones are B-trees.
    package func creation(on table: StoreSchema.Table, in namespace: String) -> String {
        let target = SQLIdentifier.quoted(namespace, table.name)
        let using = method == .btree ? "" : " USING \(method.name)"
        let list = elements.map(\.sql).joined(separator: ", ")
        let rows = filter.map { " WHERE (\($0.sql))" } ?? ""
        return "CREATE INDEX \(SQLIdentifier.quoted(name)) ON \(target)\(using) (\(list))\(rows)"
    }
}

extension StoreSchema.IndexElement {
    /// The element as in CREATE INDEX.
    package var sql: String {
        // NULL is the smallest value in every ORDER BY of a fetch, and the largest one to PostgreSQL.
        let order = isAscending.map { $0 ? " ASC NULLS FIRST" : " DESC NULLS LAST" } ?? ""
        return subject.sql + order
    }
}

extension StoreSchema.IndexElement.Subject {
    /// The column or expression; fetches spell the same expressions, so that the server finds the index.
    package var sql: String {
        switch self {
        case .column(let name): SQLIdentifier.quoted(name)
        case .prefix(let name, let length, .bytea):
            "pg_catalog.substring(\(SQLIdentifier.quoted(name)), 1, \(SQLLiteral.integer(length)))"
        case .prefix(let name, let length, _):
            "pg_catalog.left(\(SQLIdentifier.quoted(name)), \(SQLLiteral.integer(length)))"
        case .digest(let name, .bytea): "pg_catalog.sha256(\(SQLIdentifier.quoted(name)))"
        case .digest(let name, _): "pg_catalog.md5(\(SQLIdentifier.quoted(name)))"
        case .expression(let sql): "(\(sql))"
        }
    }
}
