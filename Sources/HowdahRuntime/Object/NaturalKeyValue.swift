import Foundation
package import HowdahModel

/// The values of a natural key's members, equal if they are for the database. A to-one's value is a
/// reference.
package struct NaturalKeyValue: Hashable {
    let members: [Value]

    package init(_ members: [Value], _ key: NaturalKeys.Key) {
        self.members = members.enumerated().map { place, member in
            key.folded.contains(place) ? member.folded(.caseInsensitive) : member.asKeyMember
        }
    }

    /// Creates the present key of an object; nil if a member has no value, or the row is not loaded.
    package init?(of object: ManagedObject, _ key: NaturalKeys.Key) {
        guard !object.isFault else { return nil }
        var members: [Value] = []
        for slot in key.slots {
            if object.layout.slots[slot].relationship != nil {
                let field = object._toOneField(at: slot)
                guard field.object != nil || field.entity >= 0 else { return nil }
                members.append(.reference(ObjectReference(key: field.key, entity: "")))
            } else {
                let value = object._value(at: slot)
                if value.isNull { return nil }
                members.append(value)
            }
        }
        self.init(members, key)
    }
}

extension Value {
    /// The value as PostgreSQL compares it: NaN equals itself, and 0 equals -0.
    fileprivate var asKeyMember: Value {
        switch self {
        case .double(let number) where number.isNaN: .string("NaN")
        case .double(let number) where number == 0: .double(0)
        case .float(let number) where number.isNaN: .string("NaN")
        case .float(let number) where number == 0: .float(0)
        case .decimal(let number) where number.isNaN: .string("NaN")
        // A row is told by its key: who looks for it may name it by a superentity.
        case .reference(let reference): .reference(ObjectReference(key: reference.key, entity: ""))
        default: self
        }
    }
}
