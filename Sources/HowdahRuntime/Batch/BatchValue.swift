import Foundation
package import HowdahModel

/// A program's value for one property of a batch request, in the form that the store keeps.
package enum BatchValue {
    /// The destination of a program's value for a to-one relationship.
    enum Reference {
        case none
        case row(ObjectReference)
        case wrong(String)
    }

    /// Returns the normalized value of an attribute; nil if it does not fit.
    package static func attribute<V>(_ given: V, _ type: AttributeType) -> Value? {
        // The attribute's own Swift type first: a cast to it costs a tenth of a search for what the type can do.
        switch type.kind {
        case .string: if let text = given as? String { return .string(text._howdahNormalized) }
        case .integer64: if let number = given as? Int { return .int(Int64(number)) }
        case .double: if let number = given as? Double { return .double(number) }
        case .decimal: if let number = given as? Decimal { return .decimal(number) }
        case .date: if let date = given as? Date { return .date(date._howdahRoundedToMicroseconds) }
        case .boolean: if let flag = given as? Bool { return .bool(flag) }
        case .uuid: if let uuid = given as? UUID { return .uuid(uuid) }
        default: break
        }
        if given is NSNull { return .null }
        return ValueCoding.value(given, for: type, path: [], in: .null)?.normalized.collapsed
    }

    /// Returns the fault of a value that does not fit.
    static func complaint(_ given: Any?, _ type: AttributeType, _ path: ArraySlice<String> = []) -> String {
        "cannot hold \(ValueCoding.misfit(given, type, path) ?? ValueCoding.typeName(of: given)). Give it a value of "
            + "the type \(ValueCoding.wantedName(type, path))."
    }

    /// Returns the row that a to-one relationship is to refer to.
    static func reference<V>(_ given: V, in store: UUID) -> Reference {
        guard let given = ValueCoding.unwrapped(given), !(given is NSNull) else { return .none }
        if let id = given as? any StoredIdentity { return reference(id.stored, in: store) }
        if let object = given as? ManagedObject { return reference(object.objectID, in: store) }
        switch given as? Value {
        case .null?: return .none
        case .reference(let reference)?: return .row(reference)
        default:
            return .wrong(
                "is a relationship and cannot hold \(ValueCoding.typeName(of: given)). Give it an ObjectID.")
        }
    }

    private static func reference(_ id: ObjectID<ManagedObject>, in store: UUID) -> Reference {
        guard id.storeIdentifier == store else {
            return .wrong("has the id of another store. Give it an id of this store.")
        }
        if id.isTemporaryID { return .wrong("has a temporary id. Save the object first.") }
        return .row(ObjectReference(key: id.key, entity: id.entityName))
    }
}

/// An id, typed by any class.
protocol StoredIdentity {
    var stored: ObjectID<ManagedObject> { get }
}

extension ObjectID: StoredIdentity {
    var stored: ObjectID<ManagedObject> { typed() }
}
