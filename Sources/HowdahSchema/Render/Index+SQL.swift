package import HowdahModel
internal import PQClient

extension StoreSchema.Index {
    /// The index; plain ones are B-trees.
    package func creation(
        on table: StoreSchema.Table, in namespace: String, concurrently: Bool = false
    ) -> String {
        let target = SQLIdentifier.quoted(namespace, table.name)
        let using = method == .btree ? "" : " USING \(method.name)"
        let list = elements.map { $0.sql(in: namespace) }.joined(separator: ", ")
        let rows = filter.map { " WHERE (\($0.sql))" } ?? ""
        return
            "CREATE INDEX \(concurrently ? "CONCURRENTLY " : "")\(SQLIdentifier.quoted(name)) ON \(target)\(using) (\(list))\(rows)"
    }
}

extension StoreSchema.IndexElement {
    /// The element as in CREATE INDEX.
    package func sql(in namespace: String) -> String {
        // NULL is the smallest value in every ORDER BY of a fetch, and the largest one to PostgreSQL.
        let order = isAscending.map { $0 ? " ASC NULLS FIRST" : " DESC NULLS LAST" } ?? ""
        return subject.sql(in: namespace) + order
    }
}

extension StoreSchema.IndexElement.Subject {
    /// The column or expression; fetches spell the same expressions, so that the server finds the index.
    package func sql(in namespace: String) -> String {
        switch self {
        case .column(let name): return SQLIdentifier.quoted(name)
        case .folded(let name): return Self.text(name, isFolded: true, namespace)
        case .folding(let name, let options, let length):
            let function = StoreSchema.foldingFunction(options) ?? StoreSchema.caseFolding
            let text = "\(SQLIdentifier.quoted(namespace, function))(\(SQLIdentifier.quoted(name)))"
            return length.map { "pg_catalog.left(\(text), \(SQLLiteral.integer($0)))" } ?? text
        case .prefix(let name, let length, .bytea, _):
            return "pg_catalog.substring(\(SQLIdentifier.quoted(name)), 1, \(SQLLiteral.integer(length)))"
        case .prefix(let name, let length, _, let isFolded):
            return
                "pg_catalog.left(\(Self.text(name, isFolded: isFolded, namespace)), \(SQLLiteral.integer(length)))"
        case .digest(let name, .bytea, _): return "pg_catalog.sha256(\(SQLIdentifier.quoted(name)))"
        case .digest(let name, _, let isFolded):
            return "pg_catalog.md5(\(Self.text(name, isFolded: isFolded, namespace)))"
        case .localized(let name, let locale):
            // The model was checked: what is not a locale is not sent.
            let collation = LocaleCollation(locale).map { " COLLATE \($0.sql)" } ?? ""
            return SQLIdentifier.quoted(name) + collation
        case .expression(let sql): return "(\(sql))"
        }
    }

    private static func text(_ column: String, isFolded: Bool, _ namespace: String) -> String {
        let column = SQLIdentifier.quoted(column)
        return isFolded ? "\(SQLIdentifier.quoted(namespace, StoreSchema.caseFolding))(\(column))" : column
    }
}
