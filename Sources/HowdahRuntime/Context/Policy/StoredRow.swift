import HowdahModel
import PQClient

/// A row as it is in the store now, in the form of change tracking.
struct StoredRow {
    let version: Int64
    /// The values, one per slot; nil for slots without columns.
    let values: [ChangeRecord.Original?]
    /// The error with which a fetch could not read the row; nil if it can.
    var failure: (any Error)?

    /// Reads rows of one entity by their keys, in one statement. Deleted rows are left out.
    ///
    /// JSON has the form that the class of the objects writes: members that the class does not read are left
    /// out.
    ///
    /// - Parameter query: Runs the statement.
    static func read(
        _ keys: [Int64], of layout: EntityLayout, in context: ManagedObjectContext,
        by query: (String, Parameters, StatementSubject) throws -> QueryResult
    ) throws -> [Int64: StoredRow] {
        let selection = context.store.layouts.selection(of: layout)
        let documents = layout.slots.indices.filter { layout.attribute($0)?.description.containsJSON == true }
        let reader = context.placeholder(entity: layout.index)
        var parameters = Parameters()
        parameters.append(keys)
        let result = try query(
            selection.rowsByKeys, parameters, StatementSubject(.select, layout.table.subject))
        let positions = selection.positions(of: layout.index)
        try selection.check(result, first: 0)
        var rows: [Int64: StoredRow] = [:]
        try result.forEachRow { row in
            let version = try row.integer(1, "_version", of: layout)
            rows[try row.integer(0, "_id", of: layout)] = positions.withUnsafeBufferPointer { positions in
                guard let base = positions.baseAddress else {
                    return StoredRow(version: version, values: layout.slots.map { _ in nil })
                }
                var cells = _RowReader(row: row, positions: base, layout: layout)
                var values = layout.slots.indices.map { value(&cells, layout, $0) }
                for slot in documents {
                    guard case .value(let value)? = values[slot], reader._assign(value, at: slot)
                    else { continue }
                    values[slot] = .value(reader._value(at: slot))
                }
                var fetched = _RowReader(row: row, positions: base, layout: layout)
                reader._decode(&fetched)
                if !layout.looseComposites.isEmpty { fetched.checkComposites() }
                fetched.checkRequired()
                if fetched.failure == nil {
                    // As a fetch shows them: a class may have no NULL.
                    for slot in layout.slots.indices where layout.attribute(slot) != nil {
                        guard case .value(let value)? = values[slot] else { continue }
                        let shown = reader._value(at: slot)
                        if !reader._assign(value, at: slot) { values[slot] = .value(shown) }
                    }
                }
                return StoredRow(version: version, values: values, failure: fetched.failure)
            }
        }
        return rows
    }

    private static func value(
        _ reader: inout _RowReader, _ layout: EntityLayout, _ slot: Int
    ) -> ChangeRecord.Original? {
        if layout.slots[slot].columns.isEmpty { return nil }
        switch layout.slots[slot].kind {
        case .attribute(let attribute): return .value(reader.value(attribute.type))
        case .toOne: return .toOne(reader.toOne(slot))
        case .toMany: return nil
        }
    }
}

extension ChangeRecord.Original {
    /// Returns a Boolean value that indicates whether both are the same value, or refer to the same row.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.value(let one), .value(let other)): one.isIdentical(to: other)
        case (.toOne(let one), .toOne(let other)): one.leadsWhere(other)
        case (.value, .toOne), (.toOne, .value): false
        }
    }
}

extension ManagedObject {
    /// Returns the value that a slot had when the row was read, before any change here.
    final func read(_ slot: Int) -> ChangeRecord.Original {
        changes?.originals.first { $0.slot == slot }?.original
            ?? changes?.former?.originals.first { $0.slot == slot }?.original ?? original(at: slot)
    }

    /// Returns a Boolean value that indicates whether two values of a slot are equal in the store: JSON may
    /// be formatted differently.
    final func isAlike(_ one: ChangeRecord.Original, _ other: ChangeRecord.Original, at slot: Int) -> Bool {
        if one.isSame(as: other) { return true }
        guard let attribute = layout.attribute(slot)?.description, attribute.containsJSON,
            case .value(let one) = one,
            case .value(let other) = other
        else { return false }
        return one.isAlike(other, attribute)
    }
}

extension Value {
    fileprivate func isAlike(_ other: Value, _ attribute: AttributeDescription) -> Bool {
        switch (self, other) {
        case (.data(let one), .data(let other)) where attribute.isStoredAsJSON:
            guard let one = JSONDocument(one), let other = JSONDocument(other) else { return one == other }
            return one == other
        case (.composite(let one), .composite(let other)):
            guard let elements = attribute.type.composite?.elements, one.count == elements.count,
                other.count == elements.count
            else { return false }
            return elements.indices.allSatisfy { one[$0].isAlike(other[$0], elements[$0]) }
        default: return isIdentical(to: other)
        }
    }
}

extension AttributeDescription {
    /// A Boolean value that indicates whether the values are JSON, or composites with JSON in them.
    fileprivate var containsJSON: Bool {
        isStoredAsJSON || type.composite?.elements.contains(where: \.containsJSON) == true
    }
}
