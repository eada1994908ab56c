import HowdahModel

/// What a model may say and contexts do not keep yet: refused when the store is opened, so that nothing is
/// silently wrong later.
struct ModelSupport {
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// - Throws: `StoreError.invalidModel` naming each property concerned.
    func check() throws {
        let problems = model.entities.sorted { $0.name < $1.name }.flatMap { entity in
            entity.properties.compactMap { property in
                problem(of: property, in: entity).map { "\(entity.name).\(property.name) \($0)" }
            }
        }
        guard problems.isEmpty else {
            throw StoreError(
                .invalidModel,
                "The model uses what this version does not support: " + problems.joined(separator: "; "))
        }
    }

    private func problem(of property: PropertyDescription, in entity: EntityDescription) -> String? {
        switch property.kind {
        case .attribute: return nil
        case .relationship(let relationship):
            if relationship.isOrdered { return "is ordered; make it unordered and sort by an attribute" }
            if relationship.inverse == relationship.name, relationship.destination == entity.name {
                return "is its own inverse; give it an inverse of another name"
            }
            if relationship.isToMany, relationship.minCount > 0 || relationship.maxCount > 1 {
                return "bounds its number of destinations; remove the bounds and check them in willSave"
            }
            return nil
        }
    }
}
