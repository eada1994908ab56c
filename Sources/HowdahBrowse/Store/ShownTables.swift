import HowdahMigration
import HowdahModel
import HowdahSchema

/// The model of tables without a store, and notes about what it leaves out.
struct ShownTables: Sendable {
    let model: ManagedObjectModel
    let notes: [String]

    /// - Throws: `ModelError` if the tables make no model.
    init(_ schema: DatabaseSchema, named schemaName: String) throws {
        var schema = schema
        var unnamed: [String] = []
        schema.tables.removeAll { table in
            if table.columns.count > Self.mostColumns {
                unnamed.append(
                    "\(table.name): it has \(table.columns.count) columns, and a model at most "
                        + "\(Self.mostColumns)")
                return true
            }
            guard ([table.name] + table.columns.map(\.name)).contains(where: Self.hasControl) else {
                return false
            }
            unnamed.append("\(table.name): its name, or that of a column, has control characters")
            return true
        }
        let all = try PulledModel(schema)
        let keyless = try Self.withoutKey(all.model, schema, schemaName)
        schema.tables.removeAll { keyless.contains($0.name) }
        var pulled = keyless.isEmpty ? all : try PulledModel(schema)
        var different: [String] = []
        var unsaved: [String: String] = [:]
        while case let tables = try Self.differences(pulled.model, schema, schemaName), !tables.isEmpty {
            // Most differences prevent only saving, and without the version nothing is saved.
            let versioned = Self.takeVersions(of: tables, from: &schema)
            let count = schema.tables.count
            schema.tables.removeAll { tables[$0.name] != nil && versioned[$0.name] == nil }
            // What is left differs by itself, and opening says how.
            if schema.tables.count == count, versioned.isEmpty { break }
            unsaved.merge(versioned) { first, _ in first }
            different += tables.filter { versioned[$0.key] == nil }.values.sorted()
            pulled = try PulledModel(schema)
        }
        model = pulled.model
        notes =
            unnamed + keyless.sorted().map { "\($0): it has no key of one integer" } + different
            + Self.notes(pulled, unsaved.filter { name, _ in schema.tables.contains { $0.name == name } })
    }

    /// Returns the tables of which a model that was made from them differs, by their names, with a reason.
    private static func differences(
        _ model: ManagedObjectModel, _ schema: DatabaseSchema, _ schemaName: String
    ) throws -> [String: String] {
        ExistingTables(try StoreSchema(model, schemaName: schemaName), in: schema).differingTables
    }

    /// Removes the column of versions from tables that differ, and returns those that had one, with their difference.
    private static func takeVersions(
        of tables: [String: String], from schema: inout DatabaseSchema
    ) -> [String: String] {
        var found: [String: String] = [:]
        for place in schema.tables.indices {
            let name = schema.tables[place].name
            guard let difference = tables[name],
                let column = schema.tables[place].columns.firstIndex(where: {
                    $0.name == StoreSchema.versionColumn
                })
            else { continue }
            schema.tables[place].columns.remove(at: column)
            found[name] = difference
        }
        return found
    }

    /// Returns the notes of a model. One about a version that was removed has another reason.
    private static func notes(_ pulled: PulledModel, _ unsaved: [String: String]) -> [String] {
        let others = pulled.notes.filter { note in
            !note.contains("no column \"\(StoreSchema.versionColumn)\"")
                || !unsaved.keys.contains { note.hasPrefix("\($0): ") }
        }
        let reasons = unsaved.values.sorted().map { "\($0) The pages only read, and show the table." }
        return reasons + joined(others)
    }

    /// Returns notes with one for all tables that have no versions.
    private static func joined(_ notes: [String]) -> [String] {
        let beginning = ": The table has no column \"\(StoreSchema.versionColumn)\""
        let places = notes.indices.filter { notes[$0].contains(beginning) }
        guard places.count > mostNames, let first = places.first,
            let text = notes[first].firstRange(of: beginning)
        else { return notes }
        let names = places.prefix(mostNames).compactMap { place in
            notes[place].firstRange(of: beginning).map { notes[place][..<$0.lowerBound] }
        }
        var notes = notes
        notes[first] =
            names.joined(separator: ", ") + " and \(places.count - names.count) more tables"
            + notes[first][text.lowerBound...]
        let joined = Set(places.dropFirst())
        return notes.indices.filter { !joined.contains($0) }.map { notes[$0] }
    }

    /// Returns the tables without the column that would be the key of their objects.
    private static func withoutKey(
        _ model: ManagedObjectModel, _ schema: DatabaseSchema, _ schemaName: String
    ) throws -> Set<String> {
        let storages = try StoreSchema(model, schemaName: schemaName).entities.values
        let keys = Dictionary(storages.map { ($0.table, $0.keyColumn) }) { first, _ in first }
        return Set(
            schema.tables.filter { table in
                keys[table.name].map { key in !table.columns.contains { $0.name == key } } ?? false
            }.map(\.name))
    }

    /// The most tables that a note names.
    private static let mostNames = 3
    /// The most columns that the tables of a model have.
    private static let mostColumns = 1_400

    /// A model cannot name such tables and columns.
    private static func hasControl(_ name: String) -> Bool {
        name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
