import Foundation
import HowdahModel
import HowdahRuntime
import Synchronization

/// A handler that puts objects right for any model: what is required and missing gets a value, what is to be unique and
/// is not another one.
final class Settlement: Sendable {
    /// Properties by the keys of objects.
    typealias Places = [Int64: Set<String>]

    private let model: ManagedObjectModel
    private let settled = Mutex<Places>([:])
    private let number = Atomic(0)

    init(_ model: ManagedObjectModel) { self.model = model }

    /// What it changed.
    var places: Places { settled.withLock { $0 } }

    func run(_ context: ManagedObjectContext) throws {
        var made: [ManagedObject] = []
        for entity in model.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try context.fetch(request) { try fill(object, entity.name, context, &made) }
        }
        try distinguish(context)
        try context.save()
        for object in made {
            for property in model.properties(of: object.objectID.entityName) { note(object, property.name) }
        }
    }

    private func fill(
        _ object: ManagedObject, _ entity: String, _ context: ManagedObjectContext,
        _ made: inout [ManagedObject]
    ) throws {
        for property in model.properties(of: entity) {
            if let attribute = property.attribute {
                guard attribute.isStored, attribute.derivationExpression == nil, !attribute.isOptional,
                    object[attribute.name] == nil
                else { continue }
                object[attribute.name] = Self.value(of: attribute, number.add(1, ordering: .relaxed).newValue)
            } else if let relationship = property.relationship, !relationship.isToMany {
                guard !relationship.isTransient, !relationship.isOptional, object[relationship.name] == nil
                else { continue }
                let destination = try destination(of: relationship, context, &made)
                object[relationship.name] = destination
                if let destination, let inverse = relationship.inverse, !made.contains(destination) {
                    note(destination, inverse)
                }
            } else {
                continue
            }
            if !made.contains(object) { note(object, property.name) }
        }
    }

    /// An object that nothing is to be taken away from.
    private func destination(
        of relationship: RelationshipDescription, _ context: ManagedObjectContext,
        _ made: inout [ManagedObject]
    ) throws -> ManagedObject? {
        let request = FetchRequest<ManagedObject>(entityName: relationship.destination)
        let inverse = relationship.inverse.flatMap { name in
            model.property(named: name, of: relationship.destination)?.relationship
        }
        let found = try context.fetch(request).first { object in
            guard let inverse, !inverse.isToMany else { return true }
            return object[inverse.name] == nil
        }
        if let found { return found }
        guard let entity = model.descendants(of: relationship.destination).first(where: { !$0.isAbstract })
        else {
            return nil
        }
        let object = context.insert(entity.name)
        made.append(object)
        try fill(object, entity.name, context, &made)
        return object
    }

    private func distinguish(_ context: ManagedObjectContext) throws {
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                guard let name = constraint.first(where: { model.attribute($0, of: entity.name) != nil }),
                    let attribute = model.attribute(name, of: entity.name)
                else { continue }
                var seen: Set<[String]> = []
                for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)) {
                    let values = constraint.map { object[$0].map { "\($0)" } ?? "nil" }
                    guard !seen.insert(values).inserted, !values.contains("nil") else { continue }
                    object[name] = Self.value(of: attribute, number.add(1, ordering: .relaxed).newValue)
                    note(object, name)
                }
            }
        }
    }

    private func note(_ object: ManagedObject, _ property: String) {
        let key = object.objectID.key
        settled.withLock { _ = $0[key, default: []].insert(property) }
    }

    /// Another one for each number.
    private static func value(of attribute: AttributeDescription, _ number: Int) -> Any? {
        switch attribute.type.kind {
        case .integer16: Int64(10_000 + number % 20_000)
        case .integer32, .integer64: Int64(1_000_000 + number)
        case .decimal: Decimal(1_000_000 + number)
        case .double: Double(1_000_000 + number)
        case .float: Float(1_000 + number)
        case .boolean: false
        case .string: "settled \(number)"
        case .date: Date(timeIntervalSinceReferenceDate: Double(number))
        case .binary, .transformable: Data("settled \(number)".utf8)
        case .uuid: UUID(uuidString: String(format: "00000000-0000-4000-8000-%012x", number))
        case .uri: URL(string: "https://example.org/\(number)")
        default: nil
        }
    }
}

extension ManagedObjectModel {
    fileprivate func attribute(_ name: String, of entity: String) -> AttributeDescription? {
        property(named: name, of: entity)?.attribute
    }
}
