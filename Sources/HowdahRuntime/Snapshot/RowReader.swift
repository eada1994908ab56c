public import PQClient

/// The cursor with which a managed object takes its values from one result row, column by column, in the
/// order of its entity's properties.
///
/// Nothing is copied before it is asked for, and no column is looked up by name: a select list's position of
/// each column was settled once for the whole result.
public struct RowReader {
    @usableFromInline let row: Row
    @usableFromInline let positions: UnsafePointer<Int32>
    @usableFromInline var ordinal = 0
    let layout: EntityLayout
    private(set) var failure: (any Error)?

    init(row: Row, positions: UnsafePointer<Int32>, layout: EntityLayout) {
        self.row = row
        self.positions = positions
        self.layout = layout
    }

    /// The next column's cell.
    @inlinable public mutating func next() -> Cell {
        let position = positions[ordinal]
        ordinal &+= 1
        return row[Int(position)]
    }

    /// Passes over the next `count` columns if all of them are NULL, and tells whether it did.
    @inlinable public mutating func skipIfNull(_ count: Int) -> Bool {
        for offset in 0..<count where !row[Int(positions[ordinal &+ offset])].isNull { return false }
        ordinal &+= count
        return true
    }

    /// Keeps the first error of the row; the fetch throws it once the row was read.
    public mutating func note(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Takes a typed value from the next columns.
    @inlinable public mutating func read<T: AttributeValue>(_ type: T.Type = T.self) -> T { T._read(&self) }

    /// Takes the destination of the to-one relationship in `slot`.
    ///
    /// Where the foreign key is in the destination's table nothing is taken, and the destination stays unknown.
    public mutating func toOne(_ slot: Int) -> ToOneField {
        guard case .toOne(let relationship) = layout.slots[slot].kind else {
            preconditionFailure("slot \(slot) of \(layout.name) is no to-one; emit the class anew from its model")
        }
        guard case .foreignKey(let column) = relationship.storage else { return .unknown }
        let cell = next()
        if column.entityColumn == nil {
            return cell.isNull
                ? .none : ToOneField(key: cell.int64, entity: Int32(relationship.destination), object: nil)
        }
        let entity = next()
        if cell.isNull { return .none }
        let name = entity.isNull ? "" : entity.string()
        guard let destination = layout.directory.index(ofStoredName: name) else {
            note(FetchError.unknownStoredEntity(name, in: layout.name))
            return .none
        }
        return ToOneField(key: cell.int64, entity: Int32(destination), object: nil)
    }
}
