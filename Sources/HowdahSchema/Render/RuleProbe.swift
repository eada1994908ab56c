package import HowdahModel
internal import PQClient

/// One expression of a schema, run once over a row of sample values: CREATE TABLE and CREATE INDEX only parse it, and
/// the first insert would be the one to fail.
package struct RuleProbe: Hashable, Sendable {
    /// The statement; it gives one row.
    package let sql: String
    /// The expression itself.
    package let expression: String
    /// Where the expression comes from.
    package let origin: StoreSchema.Origin

    /// The probes of all checks, and of everything in indexes that is more than a column.
    package static func all(of schema: StoreSchema) -> [RuleProbe] {
        schema.tables.flatMap { table in
            let checks = table.checks.map { RuleProbe($0.condition.sql, over: table, $0.origin) }
            let uniques = table.uniques.flatMap { unique in
                expressions(of: unique.elements ?? [], unique.filter, in: schema).map {
                    RuleProbe($0, over: table, unique.origin)
                }
            }
            let indexes = table.indexes.flatMap { index in
                expressions(of: index.elements, index.filter, in: schema).map {
                    RuleProbe($0, over: table, index.origin)
                }
            }
            return checks + uniques + indexes
        }
    }

    private static func expressions(
        of elements: [StoreSchema.IndexElement], _ filter: StoreSchema.Condition?, in schema: StoreSchema
    ) -> [String] {
        elements.compactMap { element in
            switch element.subject {
            case .column: nil
            // The folding functions are not there yet, and take every text.
            case .folded, .folding, .prefix(_, _, _, true), .digest(_, _, true): nil
            default: element.subject.sql(in: schema.schemaName)
            }
        } + [filter?.sql].compactMap { $0 }
    }

    private init(_ expression: String, over table: StoreSchema.Table, _ origin: StoreSchema.Origin) {
        // Only what is named, as hundreds of columns would be sent with each of hundreds of rules.
        let columns = table.columns.filter {
            expression.contains(SQLIdentifier.quoted($0.name)) || expression.contains($0.name)
        }
        let sample = columns.map { "\($0.type.sample) AS \(SQLIdentifier.quoted($0.name))" }
        let row = sample.isEmpty ? "" : " FROM (SELECT \(sample.joined(separator: ", "))) AS \"sample\""
        sql = "SELECT (\(expression))\(row)"
        self.expression = expression
        self.origin = origin
    }
}

extension StoreSchema.ColumnType {
    /// A constant of the type that is not NULL.
    fileprivate var sample: String {
        switch self {
        case .int2, .int4, .int8, .numeric, .float4, .float8: "CAST('0' AS \(sql))"
        case .text: "CAST('a' AS pg_catalog.text) COLLATE pg_catalog.\"C\""
        case .boolean: "TRUE"
        case .timestamptz: "CAST('2000-01-01 00:00:00+00' AS \(sql))"
        case .bytea: "CAST('\\x61' AS \(sql))"
        case .uuid: "CAST('00000000-0000-0000-0000-000000000000' AS \(sql))"
        case .array(.text): "CAST('{}' AS pg_catalog.text[]) COLLATE pg_catalog.\"C\""
        case .jsonb, .array: "CAST('{}' AS \(sql))"
        }
    }
}
