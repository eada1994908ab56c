import HowdahModel
import TestSupport
import Testing

/// Over random models; a failure prints the seed, which makes the model again.
struct RandomModelTests {
    static let seeds: ClosedRange<UInt64> = 1...120

    private static func model(_ seed: UInt64) throws -> (ManagedObjectModel, StoreSchema) {
        let model = try RandomModel.make(seed: seed)
        return (model, try StoreSchema(model, schemaName: "store"))
    }

    @Test func namesFitAndAreUnique() throws {
        for seed in Self.seeds {
            let (_, schema) = try Self.model(seed)
            let names = schema.allNames
            #expect(names.allSatisfy { !$0.isEmpty && $0.utf8.count <= 63 }, "seed \(seed)")
            #expect(Set(names.map { Array($0.utf8) }).count == names.count, "seed \(seed)")
            for table in schema.tables {
                let columns = table.columns.map(\.name)
                #expect(columns.allSatisfy { !$0.isEmpty && $0.utf8.count <= 63 }, "seed \(seed)")
                #expect(Set(columns.map { Array($0.utf8) }).count == columns.count, "seed \(seed)")
            }
        }
    }

    @Test func theOrderOfEntitiesMakesNoDifference() throws {
        for seed in Self.seeds {
            let (model, schema) = try Self.model(seed)
            var random = SeededGenerator(seed: seed)
            let shuffled = try ManagedObjectModel(entities: model.entities.shuffled(using: &random))
            #expect(try StoreSchema(shuffled, schemaName: "store") == schema, "seed \(seed)")
            #expect(shuffled.versionChecksum == model.versionChecksum, "seed \(seed)")
        }
    }

    @Test func canonicalJSONDecodesToAnEqualModel() throws {
        for seed in Self.seeds {
            let (model, schema) = try Self.model(seed)
            let decoded = try ManagedObjectModel(canonicalJSON: model.canonicalJSON)
            #expect(decoded == model, "seed \(seed)")
            #expect(decoded.canonicalJSON == model.canonicalJSON, "seed \(seed)")
            #expect(decoded.versionChecksum == model.versionChecksum, "seed \(seed)")
            #expect(try StoreSchema(decoded, schemaName: "store") == schema, "seed \(seed)")
        }
    }

    @Test func everythingMappedExistsAndEverythingStoredIsMapped() throws {
        for seed in Self.seeds {
            let (model, schema) = try Self.model(seed)
            var mapped: Set<[String]> = []
            for entity in model.entities {
                let mapping = try #require(schema.entities[entity.name])
                #expect(schema.entityName(forStoredName: mapping.storedName) == entity.name)
                #expect(
                    mapping.properties.map(\.name) == model.properties(of: entity.name).map(\.name),
                    "seed \(seed)")
                for (slot, property) in mapping.properties.enumerated() {
                    #expect(mapping.property(named: property.name)?.slot == slot)
                    mapped.formUnion(property.columns(in: mapping.table))
                }
            }
            let own = [StoreSchema.idColumn, StoreSchema.versionColumn, StoreSchema.entityColumn]
            let stored = schema.tables.flatMap { table in
                table.columns.map(\.name).filter { !own.contains($0) }.map { [table.name, $0] }
            }
            #expect(mapped == Set(stored), "seed \(seed)")
        }
    }

    @Test func everyForeignKeyColumnIsIndexedAndEveryReferenceIsUnique() throws {
        for seed in Self.seeds {
            let (_, schema) = try Self.model(seed)
            for table in schema.tables {
                for key in table.foreignKeys {
                    var leading = table.indexes.map(\.columns.first)
                    leading += table.uniques.filter { $0.filter == nil }.map(\.columns.first)
                    leading.append(table.primaryKey.first)
                    #expect(leading.contains(key.columns.first), "seed \(seed)")
                    let target = try #require(schema.table(named: key.referencedTable))
                    #expect(
                        target.primaryKey == key.referencedColumns
                            || target.uniques.contains {
                                $0.columns == key.referencedColumns && $0.filter == nil
                            },
                        "seed \(seed)")
                    if key.onDelete == .setNull {
                        #expect(
                            key.columns.allSatisfy { table.column($0)?.isNullable == true }, "seed \(seed)")
                    }
                }
            }
        }
    }
}

extension StoreSchema {
    /// Everything in the namespace of relations and constraints.
    var allNames: [String] {
        var names = [idSequence, metadataTable, saveTable, "_howdah_metadata"]
        for table in tables {
            names += [table.name, table.primaryKeyName]
            names += table.foreignKeys.map(\.name)
            names += table.checks.map(\.name)
            names += table.uniques.map(\.name)
            names += table.indexes.map(\.name)
        }
        return names
    }
}

extension PropertyStorage {
    /// The columns with their tables.
    fileprivate func columns(in table: String) -> [[String]] {
        switch self {
        case .attribute(let mapping): mapping.columns.map { [table, $0.name] }
        case .toOne(let mapping):
            [mapping.column, mapping.entityColumn].compactMap { $0 }.map { [table, $0] }
        case .inverse(let mapping):
            [mapping.column, mapping.entityColumn, mapping.orderColumn].compactMap { $0 }.map {
                [mapping.table, $0]
            }
        case .join(let mapping):
            [
                mapping.ownColumn, mapping.ownEntityColumn, mapping.ownOrderColumn, mapping.otherColumn,
                mapping.otherEntityColumn, mapping.otherOrderColumn,
            ].compactMap { $0 }.map { [mapping.joinTable, $0] }
        case .transient: []
        }
    }
}
