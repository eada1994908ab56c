import HowdahModel
public import HowdahRuntime

extension RandomGraph {
    /// Returns what is wrong in the store: bounds that are not kept, and derived values that are not theirs.
    ///
    /// The context is to be a fresh one.
    public func faults(_ context: ManagedObjectContext) throws -> [String] {
        var faults: [String] = []
        for entity in model.entities {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)) {
                for relationship in Self.relationships(entity) {
                    let name = relationship.name
                    let place = "\(entity.name) \(object.objectID).\(name)"
                    let members = object.value(forKey: name) as? [ManagedObject]
                    guard relationship.isToMany, let members else {
                        if !relationship.isOptional, object[name] == nil { faults.append("\(place) is nil") }
                        continue
                    }
                    if members.count < relationship.minCount {
                        faults.append("\(place) has \(members.count) members")
                    }
                    let count = entity.properties.contains { $0.name == "\(name)Count" }
                    if count, object["\(name)Count"] as? Int64 != Int64(members.count) {
                        faults.append(
                            "\(place)Count is \(object["\(name)Count"] ?? "nil") of \(members.count)")
                    }
                    let sum = members.reduce(Int64(0)) { $0 + ($1["number"] as? Int64 ?? 0) }
                    if entity.properties.contains(where: { $0.name == "\(name)Sum" }),
                        object["\(name)Sum"] as? Int64 != sum
                    {
                        faults.append("\(place)Sum is \(object["\(name)Sum"] ?? "nil"), not \(sum)")
                    }
                }
            }
        }
        return faults
    }

    /// Returns what an error of a save leaves open, and nil if it names its cause.
    public static func complaint(about error: any Error) -> String? {
        // A row was deleted elsewhere before a fault of it was read.
        if let error = error as? FetchError, error.code == .objectNotFound { return nil }
        guard let error = error as? SaveError else { return "is no SaveError: \(error)" }
        switch error.code {
        case .conflict:
            return error.conflicts.isEmpty ? "names no conflict: \(error)" : nil
        case .validation, .uniqueness, .referentialIntegrity:
            let isNamed =
                !error.issues.isEmpty
                && error.issues.allSatisfy { !$0.entityName.isEmpty && !$0.properties.isEmpty }
            return isNamed ? nil : "names no property: \(error)"
        default: return "is not of a kind that changes lead to: \(error)"
        }
    }
}
