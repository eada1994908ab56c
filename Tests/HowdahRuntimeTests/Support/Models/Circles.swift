import Howdah

/// Entities without classes: people who are each other's friends and spouses, once for each delete rule, and groups
/// of bounded size.
enum Circles {
    static let rules: [DeleteRule] = [.nullify, .cascade, .deny, .noAction]

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: rules.map { people($0) } + [team, player, club])
    }

    static func person(_ rule: DeleteRule) -> String { "Person_\(rule.rawValue)" }

    private static func people(_ rule: DeleteRule) -> EntityDescription {
        let name = person(rule)
        return EntityDescription(
            name,
            properties: [
                .attribute("name", .string),
                .relationship("friends", to: name, inverse: "friends", toMany: true, deleteRule: rule),
                .relationship("spouse", to: name, inverse: "spouse", deleteRule: rule),
            ])
    }

    /// Two to four players, each in one team; at most three in a club, each in at most two clubs; one reserve or
    /// more, without an inverse.
    private static var team: EntityDescription {
        EntityDescription(
            "Team",
            properties: [
                .attribute("name", .string),
                .relationship(
                    "players", to: "Player", inverse: "team", toMany: true, minCount: 2, maxCount: 4),
                .relationship("reserves", to: "Player", toMany: true, minCount: 1),
            ])
    }

    private static var player: EntityDescription {
        EntityDescription(
            "Player",
            properties: [
                .attribute("name", .string), .relationship("team", to: "Team", inverse: "players"),
                .relationship("clubs", to: "Club", inverse: "people", toMany: true, maxCount: 2),
            ])
    }

    private static var club: EntityDescription {
        EntityDescription(
            "Club",
            properties: [
                .attribute("name", .string),
                // Not optional, and still without a minimum.
                .relationship(
                    "people", to: "Player", inverse: "clubs", toMany: true, optional: false, maxCount: 3),
            ])
    }
}

extension ManagedObjectContext {
    /// A new object with a name.
    func named(_ name: String, _ entity: String) -> ManagedObject {
        let object = insert(entity)
        object["name"] = name
        return object
    }

    /// The stored object of a name.
    func find(_ name: String, _ entity: String) throws -> ManagedObject {
        let found = try fetch(entity, matching: PredicateTree(format: "name == %@", arguments: [name]))
        guard let object = found.first else { throw Missing(name: name) }
        return object
    }

    struct Missing: Error { let name: String }
}

extension ManagedObject {
    /// The names of a to-many's members, sorted.
    func names(_ key: String) -> [String] {
        members(forKey: key).map { $0["name"] as? String ?? "" }.sorted()
    }
}
