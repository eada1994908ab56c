package import HowdahModel

/// What differs between two versions of an entity, its properties apart.
package enum EntityChanges {
    package static func details(
        _ old: EntityDescription, _ new: EntityDescription, _ pairing: ModelPairing
    ) -> [String] {
        var details: [String] = []
        let parent = old.superentity.map { pairing.target(ofEntity: $0) ?? $0 }
        if parent != new.superentity {
            details.append("parent \(old.superentity ?? "none") → \(new.superentity ?? "none")")
        }
        if old.isAbstract != new.isAbstract {
            details.append(new.isAbstract ? "abstract now" : "concrete now")
        }
        if old.storedName != new.storedName {
            details.append("stored name \(old.storedName) → \(new.storedName)")
        }
        let constraints = { (entity: EntityDescription) in
            entity.uniquenessConstraints.map { "(\($0.joined(separator: ", ")))" }
        }
        details += list("uniqueness constraint", constraints(old), constraints(new))
        details += list("index", old.fetchIndexes.map(\.name), new.fetchIndexes.map(\.name))
        for index in new.fetchIndexes {
            if let before = old.fetchIndexes.first(where: { $0.name == index.name }), before != index {
                details.append("index \(index.name) changed")
            }
        }
        let steering = { (entity: EntityDescription) in
            entity.userInfo.filter { MappingKey.steering.contains($0.key) }
        }
        if steering(old) != steering(new) { details.append("howdah.* keys") }
        if old.versionHashModifier != new.versionHashModifier { details.append("version hash modifier") }
        return details
    }

    private static func list(_ what: String, _ old: [String], _ new: [String]) -> [String] {
        old.filter { !new.contains($0) }.map { "\(what) \($0) removed" }
            + new.filter { !old.contains($0) }.map { "\(what) \($0) added" }
    }
}
