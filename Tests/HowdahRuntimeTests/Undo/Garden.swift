import Howdah

/// Entities without classes with a relationship of every kind, for walks back and forth.
enum Garden {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [plant, bed, EntityDescription("Tree", superentity: "Plant")])
    }

    private static var plant: EntityDescription {
        EntityDescription(
            "Plant",
            properties: [
                .attribute("number", .integer64, optional: false),
                .attribute("value", .integer64, default: 0), .attribute("note", .string),
                .attribute("tags", .array(of: .string)), .attribute("mood", .string, transient: true),
                .relationship("bed", to: "Bed", inverse: "plants"),
                .relationship("beds", to: "Bed", inverse: "guests", toMany: true),
                .relationship("shows", to: "Bed", inverse: "shown", toMany: true),
                .relationship("parent", to: "Plant", inverse: "children"),
                .relationship("children", to: "Plant", inverse: "parent", toMany: true),
                .relationship("links", to: "Plant", inverse: "linkedBy", toMany: true),
                .relationship("linkedBy", to: "Plant", inverse: "links", toMany: true),
                .relationship("friends", to: "Plant", inverse: "friends", toMany: true),
                .relationship("spouse", to: "Plant", inverse: "spouse"),
                .relationship("twin", to: "Plant", inverse: "twinOf"),
                .relationship("twinOf", to: "Plant", inverse: "twin"),
                .relationship("favourite", to: "Plant"),
                .relationship("likes", to: "Plant", toMany: true),
                .relationship("rivals", to: "Plant", inverse: "rivals", toMany: true, ordered: true),
                .relationship("dream", to: "Plant", inverse: "dreamers", transient: true),
                .relationship("dreamers", to: "Plant", inverse: "dream", toMany: true, transient: true),
            ])
    }

    private static var bed: EntityDescription {
        EntityDescription(
            "Bed",
            properties: [
                .attribute("number", .integer64, optional: false),
                .relationship(
                    "plants", to: "Plant", inverse: "bed", toMany: true, ordered: true, deleteRule: .cascade),
                .relationship("guests", to: "Plant", inverse: "beds", toMany: true, ordered: true),
                .relationship(
                    "shown", to: "Plant", inverse: "shows", toMany: true, ordered: true, deleteRule: .noAction
                ),
                .relationship("picks", to: "Plant", toMany: true, ordered: true),
                .relationship("sampled", to: "Plant", toMany: true, maxCount: 90),
            ])
    }

    static let toOnes = ["bed": "Bed", "parent": "", "spouse": "", "twin": "", "twinOf": "", "favourite": ""]
    static let plain = ["links", "linkedBy", "friends", "likes", "children", "beds", "shows"]
    static let ordered = ["plants", "guests", "shown", "picks"]

    /// What an object says of itself, with the numbers of others in place of these.
    static func line(_ object: ManagedObject, transient: Bool) -> String {
        func number(_ object: ManagedObject) -> Int { (object["number"] as? Int64).map(Int.init) ?? -1 }
        func list(_ name: String) -> String {
            let members = object.orderedMembers(forKey: name)
            return "\(name) \(members.filter { !$0.isDeleted }.map(number))"
        }
        func set(_ name: String) -> String {
            "\(name) \(object.members(forKey: name).filter { !$0.isDeleted }.map(number).sorted())"
        }
        var parts = ["\(number(object))"]
        if object.entityName == "Bed" {
            parts += ordered.map(list) + [set("sampled")]
        } else {
            parts += ["value", "note", "tags"].map { "\($0) \(object[$0] ?? "-")" }
            parts += toOnes.keys.sorted().map { name in
                let destination = object[name] as? ManagedObject
                return "\(name) \(destination.map { $0.isDeleted ? -2 : number($0) } ?? -1)"
            }
            parts += plain.map(set) + [list("rivals")]
            if transient {
                parts += ["mood \(object["mood"] ?? "-")", set("dreamers")]
                parts.append("dream \((object["dream"] as? ManagedObject).map(number) ?? -1)")
            }
        }
        return parts.joined(separator: ", ")
    }

    /// Everything that is in the store.
    static func stored(_ container: PersistentContainer) throws -> [String] {
        try container.newBackgroundContext().performAndWait { context in
            try (context.fetch("Plant") + context.fetch("Bed")).map { line($0, transient: false) }.sorted()
        }
    }
}
