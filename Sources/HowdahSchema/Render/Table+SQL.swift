package import HowdahModel
internal import PQClient

extension StoreSchema.Table {
    /// The table with its columns, primary key and checks; what other tables are needed for comes later.
    package func creation(in schema: StoreSchema, withPrimaryKey: Bool = true) -> String {
        var lines = columns.map { $0.definition(in: schema) }
        if withPrimaryKey { lines.append(primaryKeyDefinition) }
        lines += checks.map(\.definition)
        let body = lines.map { "    " + $0 }.joined(separator: ",\n")
        return "CREATE TABLE \(SQLIdentifier.quoted(schema.schemaName, name)) (\n\(body)\n)"
    }

    /// The constraint as in CREATE TABLE and ADD CONSTRAINT.
    package var primaryKeyDefinition: String {
        "CONSTRAINT \(SQLIdentifier.quoted(primaryKeyName)) PRIMARY KEY (\(primaryKey.quotedList))"
    }
}

extension StoreSchema.Column {
    /// Name, type, nullability and default or generation, as in CREATE TABLE and ADD COLUMN.
    package func definition(in schema: StoreSchema) -> String {
        var text = "\(SQLIdentifier.quoted(name)) \(type.sql)"
        if !isNullable { text += " NOT NULL" }
        if let generation {
            text += " GENERATED ALWAYS AS (\(generation.sql(in: schema))) STORED"
        } else if isIDSequenceDefault {
            let sequence = SQLLiteral.string(SQLIdentifier.quoted(schema.schemaName, schema.idSequence))
            text += " DEFAULT pg_catalog.nextval(\(sequence)::pg_catalog.regclass)"
        } else if let defaultValue, let literal = defaultValue.sqlLiteral {
            text += " DEFAULT \(literal)"
        }
        return text
    }
}

extension StoreSchema.ColumnType {
    /// The type's name, which a temporary type of the same name cannot shadow.
    package var sql: String {
        switch self {
        case .int2: "smallint"
        case .int4: "integer"
        case .int8: "bigint"
        case .numeric: "numeric"
        case .float4: "real"
        case .float8: "double precision"
        case .text: "pg_catalog.text COLLATE pg_catalog.\"C\""
        case .boolean: "boolean"
        case .timestamptz: "timestamp with time zone"
        case .bytea: "pg_catalog.bytea"
        case .uuid: "pg_catalog.uuid"
        case .jsonb: "pg_catalog.jsonb"
        case .array(.text): "pg_catalog.text[] COLLATE pg_catalog.\"C\""
        case .array(let element): "\(element.sql)[]"
        }
    }
}

extension StoreSchema.Check {
    /// The constraint as in CREATE TABLE and ADD CONSTRAINT.
    package var definition: String {
        "CONSTRAINT \(SQLIdentifier.quoted(name)) CHECK (\(condition.sql))"
    }
}

extension StoreSchema.Unique {
    /// Whether it is a constraint, rather than an index.
    package var isConstraint: Bool { elements == nil && filter == nil }

    /// A constraint, or a unique index where only some rows, or more than the plain columns, are meant.
    package func creation(on table: StoreSchema.Table, in namespace: String) -> String {
        let target = SQLIdentifier.quoted(namespace, table.name)
        let name = SQLIdentifier.quoted(name)
        if elements == nil, filter == nil {
            return "ALTER TABLE \(target) ADD CONSTRAINT \(name) UNIQUE (\(columns.quotedList))"
        }
        let list = elements?.map { $0.sql(in: namespace) }.joined(separator: ", ") ?? columns.quotedList
        let rows = filter.map { " WHERE (\($0.sql))" } ?? ""
        return "CREATE UNIQUE INDEX \(name) ON \(target) (\(list))\(rows)"
    }
}

extension StoreSchema.Unique {
    /// The same without keeping others from writing: a unique index, which becomes the constraint where it is one.
    package func concurrentCreation(on table: StoreSchema.Table, in namespace: String) -> [String] {
        let target = SQLIdentifier.quoted(namespace, table.name)
        let name = SQLIdentifier.quoted(name)
        let list = elements?.map { $0.sql(in: namespace) }.joined(separator: ", ") ?? columns.quotedList
        let rows = filter.map { " WHERE (\($0.sql))" } ?? ""
        let index = "CREATE UNIQUE INDEX CONCURRENTLY \(name) ON \(target) (\(list))\(rows)"
        return isConstraint
            ? [index, "ALTER TABLE \(target) ADD CONSTRAINT \(name) UNIQUE USING INDEX \(name)"] : [index]
    }
}

extension StoreSchema.ForeignKey {
    /// The constraint; a save defers its check to the end, so that rows can be written in any order.
    package func creation(on table: StoreSchema.Table, in namespace: String) -> String {
        let action =
            switch onDelete {
            case .noAction: "NO ACTION"
            case .cascade: "CASCADE"
            case .setNull: "SET NULL"
            }
        return "ALTER TABLE \(SQLIdentifier.quoted(namespace, table.name))"
            + " ADD CONSTRAINT \(SQLIdentifier.quoted(name)) FOREIGN KEY (\(columns.quotedList))"
            + " REFERENCES \(SQLIdentifier.quoted(namespace, referencedTable)) (\(referencedColumns.quotedList))"
            + " ON DELETE \(action) DEFERRABLE INITIALLY IMMEDIATE"
    }
}

extension [String] {
    var quotedList: String { map(SQLIdentifier.quoted).joined(separator: ", ") }
}
