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
                problem(of: property).map { "\(entity.name).\(property.name) \($0)" }
            }
        }
        guard problems.isEmpty else {
            throw StoreError(
                .invalidModel,
                "The model uses what this version does not support: " + problems.joined(separator: "; "))
        }
    }

    private func problem(of property: PropertyDescription) -> String? {
        switch property.kind {
        case .attribute(let attribute): return problem(of: attribute)
        case .relationship: return nil
        }
    }

    private func problem(of attribute: AttributeDescription) -> String? {
        if let regex = attribute.regex {
            do {
                _ = try PredicatePattern(regex)
            } catch {
                return "has a pattern outside of the common subset of regular expressions; simplify it"
            }
        }
        return attribute.type.composite?.elements.lazy.compactMap { problem(of: $0) }.first
    }
}
