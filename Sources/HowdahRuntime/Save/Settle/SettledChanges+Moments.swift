import Foundation
import HowdahModel

extension SettledChanges {
    /// Makes the save write its time to the `now()` attributes of its rows.
    mutating func stamp(at date: Date, _ layouts: [EntityLayout]) {
        moment = Value.date(date).normalized
        for index in updated.indices {
            guard let moments = updated[index].object.layout.derived?.moments, !moments.isEmpty else {
                continue
            }
            updated[index].slots = Set(updated[index].slots + moments).sorted()
        }
    }

    /// Returns the save's time as a value of an attribute. It is in microseconds or, as in Core Data, in
    /// seconds since 2001.
    func moment(for attribute: AttributeLayout) -> Value {
        guard case .date(let date) = moment, attribute.type == .double else { return moment }
        return .double(date.timeIntervalSinceReferenceDate)
    }
}

extension ManagedObjectContext {
    /// Applies the store's computed values, if the objects do not determine them.
    func adoptDerived(_ receipt: SaveReceipt) {
        let settled = receipt.settled
        for object in settled.inserted {
            for (slot, value) in object.layout.derived?.initialValues ?? [:] where !value.isNull {
                _ = object._assign(value, at: slot)
            }
            object.assignMoments(settled)
        }
        for object in settled.updated.map(\.object) { object.assignMoments(settled) }
        for (place, keys) in settled.nullifications where layouts[place.entity].derived != nil {
            for key in keys {
                let object = registry.find(root: layouts[place.entity].root, key: key)
                if let object, !object.isFault { object.assignMoments(settled) }
            }
        }
        // Last: what was computed replaces what new rows began with.
        for row in receipt.derived {
            guard let object = registry.find(root: row.root, key: row.key), !object.isFault else {
                continue
            }
            for (slot, value) in row.values { _ = object._assign(value, at: slot) }
        }
    }
}

extension ManagedObject {
    fileprivate final func assignMoments(_ settled: SettledChanges) {
        for slot in layout.derived?.moments ?? [] {
            guard let attribute = layout.attribute(slot) else { continue }
            _ = _assign(settled.moment(for: attribute), at: slot)
        }
    }
}
