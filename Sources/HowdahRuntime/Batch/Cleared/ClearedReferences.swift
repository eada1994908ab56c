import Foundation
import HowdahModel
import PQClient

/// The to-one references with an inverse that a batch deletion clears, and whose rows get another version.
///
/// Foreign keys clear references too, and do not know of versions. So a statement before the deletion clears them. It
/// begins after all rows to delete are locked. The references of other sessions are stored by then, and new ones wait
/// for the deletion.
struct ClearedReferences {
    /// References from one table.
    struct Place {
        let layout: EntityLayout
        /// The column of the versions.
        let version: String
        let references: [Reference]
    }

    /// The columns of a reference, the key first, and the table that it refers to.
    struct Reference {
        let columns: [String]
        let table: StoredTable
    }

    private let places: [Place]
    private let cascade: DeletionCascade

    /// - Returns: The references; nil if the deletion clears none.
    init?(deleting layout: EntityLayout, in layouts: StoreLayout) {
        guard let cascade = DeletionCascade(deleting: layout, in: layouts) else { return nil }
        var used: Set<StoredTable> = []
        places = layouts.schema.tables.compactMap { table -> Place? in
            guard let owner = cascade.owners[table.name], let version = owner.table.version else {
                return nil
            }
            let references = table.foreignKeys.compactMap { key -> Reference? in
                guard key.onDelete == .setNull,
                    let source = cascade.sources.first(where: {
                        layouts.refers(key, to: $0, needsInverse: true)
                    })
                else { return nil }
                used.insert(source.layout.table)
                return Reference(
                    columns: key.columns.map { SQLIdentifier.quoted($0) }, table: source.layout.table)
            }
            return references.isEmpty
                ? nil : Place(layout: owner, version: version.name, references: references)
        }
        if places.isEmpty { return nil }
        self.cascade = cascade.leading(to: used)
    }

    /// Locks the rows that a statement would delete.
    ///
    /// - Returns: Their keys.
    func lock(_ statement: BatchStatement, in transaction: SaveTransaction) throws -> [Int64] {
        let keys = try transaction.run([statement.lockedRows])[0].map { $0[0].int64 }
        if !statement.readsOtherRows { return keys }
        return try transaction.run([statement.stillMeant(keys)])[0].map { $0[0].int64 }.sorted()
    }

    /// Returns the statements that clear the references to locked rows, and to those that are deleted with them.
    ///
    /// - Parameters:
    ///   - keys: The keys of rows of a table.
    ///   - returnsRows: Indicates whether the statements return the rows that lose a destination.
    func clearing(
        _ keys: [Int64], of table: StoredTable, returnsRows: Bool,
        in transaction: SaveTransaction, _ layouts: [EntityLayout]
    ) throws -> ReferenceClearing {
        let deleted = try cascade.lock(keys, of: table, in: transaction)
        return try ReferenceClearing(
            places, to: deleted, from: table, returnsRows: returnsRows, at: Date(),
            in: layouts)
    }
}

extension StoreLayout {
    /// Returns a Boolean value that indicates whether a foreign key may refer to deleted rows of a table.
    func refers(
        _ key: StoreSchema.ForeignKey, to source: DeletionCascade.Source, needsInverse: Bool
    ) -> Bool {
        guard key.referencedTable == source.name, let origin = layout(named: key.origin.entity),
            let slot = key.origin.properties.first.flatMap({ origin.slotsByName[$0] }),
            let relationship = origin.slots[slot].relationship
        else { return false }
        if needsInverse, relationship.inverse == nil { return false }
        return !Set(entities[relationship.destination].family).isDisjoint(with: source.layout.family)
    }
}
