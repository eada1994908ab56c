import Foundation
import HowdahModel

/// Finds unique values that one updated object gives up and another takes over in the same save, and moves the
/// first out of the way, because the database compares row by row.
struct UniqueParking {
    let layouts: [EntityLayout]

    /// Updates that put a passing value into the rows whose present value another row is about to take.
    func parkings(for updated: [ManagedObject]) -> [SavePlan.RowUpdate] {
        var parkings: [SavePlan.RowUpdate] = []
        for (entity, objects) in Dictionary(grouping: updated, by: { $0.layout.index }) where objects.count > 1 {
            let layout = layouts[entity]
            for slot in layout.uniqueSlots {
                guard let attribute = layout.attribute(slot), layout.slots[slot].columns.count == 1 else { continue }
                let givenUp = originals(of: objects, slot)
                guard !givenUp.isEmpty else { continue }
                let wanted = Set(objects.filter { $0.isWritten(slot) }.map { $0._value(at: slot) })
                let rows = givenUp.filter { wanted.contains($0.value) }.compactMap { _, object in
                    passingValue(attribute).map {
                        SavePlan.Row(key: object.key, version: object.version, values: [$0])
                    }
                }
                guard !rows.isEmpty else { continue }
                parkings.append(
                    SavePlan.RowUpdate(
                        table: layout.table, entity: layout.name,
                        columns: layout.slots[slot].columns.map { layout.columns[$0] },
                        rows: rows.sorted { $0.key < $1.key }, bumpsVersion: false))
            }
        }
        return parkings.sorted { $0.table < $1.table }
    }

    private func originals(of objects: [ManagedObject], _ slot: Int) -> [(value: Value, object: ManagedObject)] {
        objects.compactMap { object in
            guard let original = object.changes?.originals.first(where: { $0.slot == slot }),
                case .value(let value) = original.original, !value.isNull
            else { return nil }
            return (value, object)
        }
    }

    /// A value that nothing else has; none for types where such a value cannot be had.
    private func passingValue(_ attribute: AttributeDescription) -> Value? {
        if attribute.isOptional { return .null }
        switch attribute.type.kind {
        case .string, .uri: return .string("howdah-parked:\(UUID().uuidString)")
        case .uuid: return .uuid(UUID())
        case .integer64: return .int(.random(in: Int64.min...Int64.min / 2))
        case .double: return .double(-.random(in: 1e200...1e300))
        case .decimal: return .decimal(-Decimal(UInt64.random(in: (1 << 60)...UInt64.max)))
        default: return nil
        }
    }
}
