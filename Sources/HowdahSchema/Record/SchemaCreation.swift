package import HowdahModel
internal import PQClient

/// The DDL that makes an empty store of a schema, as statements to be run in order in one transaction.
///
/// A pure function of the schema. Every name is quoted and qualified, so that no `search_path` matters.
package struct SchemaCreation: Hashable, Sendable {
    /// A statement and what it makes.
    package struct Part: Hashable, Sendable {
        package let reason: String
        package let statement: String
    }

    /// The statements in their order, each with what it makes.
    package let parts: [Part]
    /// The number of parts that make the tables. Rows are best copied after them, before indexes and foreign keys.
    package let partsBeforeRows: Int
    /// Statements to be run before: each runs one rule of the schema over sample values.
    package let probes: [RuleProbe]

    /// The statements: schema, sequence, folding functions, tables, unique rules, foreign keys, indexes, triggers, the
    /// store's own tables.
    package var statements: [String] { parts.map(\.statement) }

    /// Renders `schema`.
    ///
    /// `includingSchema` false leaves out the first statement: PostgreSQL asks for the right to create schemas
    /// even where the schema exists.
    package init(_ schema: StoreSchema, includingSchema: Bool = true) {
        let namespace = schema.schemaName
        var parts: [Part] = []
        func add(_ reason: String, _ statements: String...) {
            parts += statements.map { Part(reason: reason, statement: $0) }
        }
        if includingSchema {
            add("schema \(namespace)", "CREATE SCHEMA IF NOT EXISTS \(SQLIdentifier.quoted(namespace))")
        }
        add("sequence for the ids of objects", Self.sequence(of: schema))
        for statement in FoldingFunctions.creation(in: schema) {
            add("functions that compare texts", statement)
        }
        for table in schema.tables { add("table \(table.name)", table.creation(in: schema)) }
        partsBeforeRows = parts.count
        for table in schema.tables {
            for unique in table.uniques {
                add("\(unique.origin.place) is unique", unique.creation(on: table, in: namespace))
            }
        }
        for table in schema.tables {
            for key in table.foreignKeys {
                add(
                    "\(key.origin.place) refers to \(key.referencedTable)",
                    key.creation(on: table, in: namespace))
            }
        }
        for table in schema.tables {
            for index in table.indexes {
                add("index of \(index.origin.place)", index.creation(on: table, in: namespace))
            }
        }
        for table in schema.tables {
            for statement in table.triggers.flatMap({ $0.creation(on: table, in: namespace) }) {
                add("delete rules of \(table.name)", statement)
            }
        }
        add("table for the store's record", StoreMetadata.creation(of: schema))
        add("table for the outcomes of saves", SaveTokenTable.creation(of: schema))
        add("table for the store's metadata", MetadataEntryTable.creation(in: namespace))
        self.parts = parts
        probes = RuleProbe.all(of: schema)
    }

    /// Step 1: whoever wants a block of ids asks for many numbers in one statement.
    private static func sequence(of schema: StoreSchema) -> String {
        let name = SQLIdentifier.quoted(schema.schemaName, schema.idSequence)
        return "CREATE SEQUENCE \(name) AS bigint INCREMENT BY 1 MINVALUE 1 START WITH 1 CACHE 1 NO CYCLE"
    }
}

extension StoreSchema.Origin {
    /// The properties that are meant, or the entity.
    package var place: String {
        properties.isEmpty ? entity : "\(entity).\(properties.joined(separator: ", "))"
    }
}
