internal import Foundation
package import HowdahModel

/// The triggers that write changes of other programs to a table into the history.
///
/// A table has one function and a trigger for each kind of statement. See `TrackingTrigger+SQL.swift` for their text.
package struct TrackingTrigger: Hashable, Sendable {
    /// The first part of the names of triggers and functions.
    package static let prefix = "_howdah_track_"
    /// The names of the triggers, by statement.
    package static let statements = ["INSERT", "UPDATE", "DELETE", "TRUNCATE"]

    /// A property of the objects in the table, and its columns.
    struct Property: Hashable, Sendable {
        let storedName: String
        let columns: [String]
    }

    /// A column with the key of an object, whose to-many property changes with the rows of the table.
    struct Owner: Hashable, Sendable {
        let column: String
        let entityColumn: String?
        /// The stored name of the object's entity, if no column has it.
        let storedEntity: String
        let storedProperty: String
        /// The table of the object, and its key.
        let table: String
        let key: String
        /// The columns whose values make up the member, or the link.
        let compared: [String]
    }

    /// An attribute whose values the history keeps of deleted objects.
    struct Preserved: Hashable, Sendable {
        let property: Property
        let type: AttributeType
        let isDocument: Bool
    }

    /// The objects in a table; a table of links has none.
    struct Objects: Hashable, Sendable {
        let key: String
        let discriminator: String?
        /// The stored name of the entity, if no column has it.
        let storedEntity: String
        let properties: [Property]
        /// The attributes whose values the history keeps of deleted objects.
        let preserved: [Preserved]
    }

    /// The table's name.
    package let table: String
    let schemaName: String
    let objects: Objects?
    let owners: [Owner]

    /// The triggers for an entity: on the table of its hierarchy, and on the tables of its links.
    package static func all(for entity: EntityStorage, in schema: StoreSchema) -> [TrackingTrigger] {
        let family = schema.entities.values.filter { $0.table == entity.table }
        var tables = [entity.table]
        for case .join(let mapping) in family.flatMap(\.properties) where !tables.contains(mapping.joinTable)
        {
            tables.append(mapping.joinTable)
        }
        return tables.map { TrackingTrigger(on: $0, in: schema) }
    }

    /// The triggers for a table of objects or links.
    package init(on table: String, in schema: StoreSchema) {
        self.table = table
        schemaName = schema.schemaName
        let storages = schema.entities.values.sorted { $0.storedName < $1.storedName }
        objects = Objects(storages.filter { $0.table == table })
        var owners: [Owner] = []
        for storage in storages {
            for property in storage.properties {
                let owner: Owner
                switch property {
                case .inverse(let mapping) where mapping.table == table:
                    owner = Owner(
                        column: mapping.column, entityColumn: mapping.entityColumn,
                        storedEntity: storage.storedName,
                        storedProperty: mapping.description.nameInHistory,
                        table: storage.table, key: storage.keyColumn,
                        compared: [mapping.column, mapping.entityColumn, mapping.orderColumn].compactMap {
                            $0
                        })
                case .join(let mapping) where mapping.joinTable == table:
                    owner = Owner(
                        column: mapping.ownColumn, entityColumn: mapping.ownEntityColumn,
                        storedEntity: storage.storedName, storedProperty: mapping.description.nameInHistory,
                        table: storage.table, key: storage.keyColumn,
                        compared: [
                            mapping.ownColumn, mapping.ownEntityColumn, mapping.otherColumn,
                            mapping.otherEntityColumn, mapping.ownOrderColumn,
                        ].compactMap { $0 })
                default: continue
                }
                // Sub-entities inherit the property; the column with the entity tells them apart.
                let isKnown = owners.contains {
                    $0.column == owner.column && $0.storedProperty == owner.storedProperty
                        && ($0.entityColumn != nil || $0.storedEntity == owner.storedEntity)
                }
                if !isKnown { owners.append(owner) }
            }
        }
        self.owners = owners
    }
}

extension TrackingTrigger.Objects {
    /// The objects of a hierarchy; nil without an entity.
    fileprivate init?(_ storages: [EntityStorage]) {
        guard let root = storages.first(where: { $0.entityName == $0.rootEntity }) ?? storages.first else {
            return nil
        }
        key = root.keyColumn
        discriminator = root.discriminator
        storedEntity = root.storedName
        var (properties, preserved): ([TrackingTrigger.Property], [TrackingTrigger.Preserved]) = ([], [])
        for property in storages.flatMap(\.properties) {
            let found: TrackingTrigger.Property
            switch property {
            case .attribute(let mapping) where !mapping.columns.isEmpty:
                found = TrackingTrigger.Property(
                    storedName: mapping.description.nameInHistory, columns: mapping.columns.map(\.name))
            case .toOne(let mapping):
                found = TrackingTrigger.Property(
                    storedName: mapping.description.nameInHistory,
                    columns: [mapping.column] + (mapping.entityColumn.map { [$0] } ?? []))
            default: continue
            }
            if !properties.contains(found) { properties.append(found) }
            if case .attribute(let mapping) = property, mapping.description.preservesValueInHistoryOnDeletion,
                !preserved.contains(where: { $0.property == found })
            {
                let attribute = mapping.description
                preserved.append(
                    .init(property: found, type: attribute.type, isDocument: attribute.isStoredAsJSON))
            }
        }
        self.properties = properties
        self.preserved = preserved
    }
}

extension AttributeDescription {
    /// The name of the attribute in the history. A renaming keeps it.
    fileprivate var nameInHistory: String {
        (renamingIdentifier ?? name).precomposedStringWithCanonicalMapping
    }
}

extension RelationshipDescription {
    /// The name of the relationship in the history. A renaming keeps it.
    fileprivate var nameInHistory: String {
        (renamingIdentifier ?? name).precomposedStringWithCanonicalMapping
    }
}
