import HowdahModel

/// The fields of an object whose entity has no class, one per slot.
final class GenericStorage {
    var values: [Value]
    var toOnes: [_ToOneField]
    var toManys: [_ToManyState?]
    private let layout: EntityLayout

    init(layout: EntityLayout) {
        self.layout = layout
        values = Array(repeating: .null, count: layout.slots.count)
        toOnes = Array(repeating: .none, count: layout.slots.count)
        toManys = Array(repeating: nil, count: layout.slots.count)
    }

    func decode(_ row: inout _RowReader) {
        for (slot, property) in layout.slots.enumerated() {
            switch property.kind {
            case .attribute(let attribute):
                if attribute.isTransient { continue }
                values[slot] = row.value(attribute.type)
                if let transformer = attribute.transformer, case .data(let data) = values[slot] {
                    do { _ = try transformer.value(data) } catch {
                        row.noteUntransformable(transformer.name, error)
                    }
                }
            case .toOne: toOnes[slot] = row.toOne(slot)
            case .toMany: break
            }
        }
    }

    /// Drops the values of a row that could not be read completely.
    func forgetValues() {
        for (slot, property) in layout.slots.enumerated() where !property.columns.isEmpty {
            values[slot] = .null
        }
    }

    func assign(_ value: Value, at slot: Int) -> Bool {
        guard case .attribute(let attribute) = layout.slots[slot].kind,
            let fitting = ValueCoding.fit(value, to: attribute.type)
        else { return false }
        // As typed fields are: a composite without a single value is nil, on every level.
        values[slot] = fitting.collapsed
        return true
    }
}
