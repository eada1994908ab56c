import Foundation
import HowdahModel

extension ManagedObjectModel {
    /// Returns an id of an object of the entity.
    func reference(to entity: String) -> Value {
        .reference(ObjectReference(key: 1, entity: self[entity]?.storedName ?? entity))
    }

    /// Returns the entity of the objects at the end of a key path; nil if the path ends with values.
    func destination(at path: [String], from entity: String) -> String? {
        var entity = entity
        for key in path where PredicateTree.KeyPathOperator(rawValue: key) == nil {
            guard let relationship = property(named: key, of: entity)?.relationship else { return nil }
            entity = relationship.destination
        }
        return entity
    }

    /// Returns a Boolean value that indicates whether a key path reaches an array attribute over to-one
    /// relationships.
    func isArray(at path: [String], of entity: String) -> Bool {
        var entity = entity
        for key in path {
            switch property(named: key, of: entity)?.kind {
            case .attribute(let attribute)?: return attribute.type.element != nil && key == path.last
            case .relationship(let relationship)? where !relationship.isToMany:
                entity = relationship.destination
            default: return false
            }
        }
        return false
    }

    /// Returns a value like those at the end of a key path.
    func sample(at path: ArraySlice<String>, of entity: String) -> Value? {
        guard let name = path.first else { return reference(to: entity) }
        if let op = PredicateTree.KeyPathOperator(rawValue: name) {
            switch op {
            case .count: return .int(1)
            case .average: return .double(1)
            case .sum, .min, .max, .all, .distinct: return sample(at: path.dropFirst(), of: entity)
            }
        }
        switch property(named: name, of: entity)?.kind {
        case .relationship(let relationship)?:
            return sample(at: path.dropFirst(), of: relationship.destination)
        case .attribute(var attribute)?:
            for name in path.dropFirst() {
                if name == PredicateTree.Expression.countKey { return .int(1) }
                guard let element = attribute.type.composite?.elements.first(where: { $0.name == name })
                else { return nil }
                attribute = element
            }
            return attribute.sample
        case nil: return name == "entity" ? .string(entity) : nil
        }
    }
}

extension AttributeDescription {
    /// A value that the attribute accepts; the same each time.
    fileprivate var sample: Value? {
        if let value = allowedValues.first ?? defaultValue { return value }
        return (type.element ?? type).sample
    }
}

extension AttributeType {
    fileprivate var sample: Value? {
        switch self {
        case .integer16, .integer32, .integer64: .int(1)
        case .decimal: .decimal(1)
        case .double: .double(1)
        case .float: .float(1)
        case .boolean: .bool(true)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        case .uri: URL(string: "https://example.org").map(Value.uri)
        case .binary: .data(Data([1]))
        case .string: .string("x")
        default: nil
        }
    }
}

extension PredicateTree.Cast {
    /// A value of the type of the cast's result.
    var sample: Value {
        switch self {
        case .number: .double(1)
        case .decimal: .decimal(1)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .string: .string("x")
        }
    }
}
