public import HowdahModel
internal import PQClient

/// The DDL that makes an empty store of a schema, as statements to be run in order in one transaction.
///
/// A pure function of the schema. Every name is quoted and qualified, so that no `search_path` matters.
public struct SchemaCreation: Hashable, Sendable {
    /// The statements: schema, sequence, folding functions, tables, unique rules, foreign keys, indexes, triggers, the
    /// store's own tables.
    public let statements: [String]
    /// Statements to be run before: each runs one rule of the schema over sample values.
    public let probes: [RuleProbe]

    /// Renders `schema`.
    ///
    /// `includingSchema` false leaves out the first statement: PostgreSQL asks for the right to create schemas
    /// even where the schema exists.
    public init(_ schema: StoreSchema, includingSchema: Bool = true) {
        let namespace = schema.schemaName
        var statements: [String] = []
        if includingSchema {
            statements.append("CREATE SCHEMA IF NOT EXISTS \(SQLIdentifier.quoted(namespace))")
        }
        statements.append(Self.sequence(of: schema))
        statements += FoldingFunctions.creation(in: schema)
        statements += schema.tables.map { $0.creation(in: schema) }
        for table in schema.tables {
            statements += table.uniques.map { $0.creation(on: table, in: namespace) }
        }
        for table in schema.tables {
            statements += table.foreignKeys.map { $0.creation(on: table, in: namespace) }
        }
        for table in schema.tables {
            statements += table.indexes.map { $0.creation(on: table, in: namespace) }
        }
        for table in schema.tables {
            statements += table.triggers.flatMap { $0.creation(on: table, in: namespace) }
        }
        statements.append(StoreMetadata.creation(of: schema))
        statements.append(SaveTokenTable.creation(of: schema))
        self.statements = statements
        probes = RuleProbe.all(of: schema)
    }

    /// Step 1: whoever wants a block of ids asks for many numbers in one statement.
    private static func sequence(of schema: StoreSchema) -> String {
        let name = SQLIdentifier.quoted(schema.schemaName, schema.idSequence)
        return "CREATE SEQUENCE \(name) AS bigint INCREMENT BY 1 MINVALUE 1 START WITH 1 CACHE 1 NO CYCLE"
    }
}
