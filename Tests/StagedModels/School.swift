public import Howdah

/// A small school: to-ones, to-manys, lists, derived attributes, a hierarchy, links of two kinds, and a reference of an
/// entity to itself.
public enum School {
    /// The model, with generic objects.
    public static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Team",
                    properties: [
                        .attribute("rank", .integer64), .attribute("motto", .string),
                        .attribute("size", .integer64, derivation: "pupils.@count"),
                        .relationship("pupils", to: "Pupil", inverse: "team", toMany: true),
                    ]),
                EntityDescription(
                    "Pupil",
                    properties: [
                        .attribute("name", .string), .attribute("age", .integer64),
                        .attribute("points", .integer64, derivation: "marks.@sum.grade"),
                        .attribute("slogan", .string, derivation: "team.motto"),
                        .relationship("team", to: "Team", inverse: "pupils"),
                        .relationship("mentor", to: "Pupil", inverse: "mentees"),
                        .relationship("mentees", to: "Pupil", inverse: "mentor", toMany: true),
                        .relationship(
                            "marks", to: "Mark", inverse: "pupil", toMany: true, deleteRule: .cascade),
                        .relationship("clubs", to: "Club", inverse: "members", toMany: true),
                        .relationship("captaincies", to: "Club", inverse: "captains", toMany: true),
                    ],
                    fetchedProperties: [
                        FetchedPropertyDescription(
                            "namesakes",
                            .init(entityName: "Pupil", predicateFormat: "name == $FETCH_SOURCE.name"))
                    ]),
                EntityDescription(
                    "Prefect", superentity: "Pupil", properties: [.attribute("badge", .integer64)]),
                EntityDescription(
                    "Mark",
                    properties: [
                        .attribute("grade", .integer64),
                        .relationship("pupil", to: "Pupil", inverse: "marks"),
                    ]),
                EntityDescription(
                    "Club",
                    properties: [
                        .attribute("title", .string),
                        .relationship("members", to: "Pupil", inverse: "clubs", toMany: true),
                        .relationship(
                            "captains", to: "Pupil", inverse: "captaincies", toMany: true, ordered: true),
                        .relationship(
                            "rounds", to: "Round", inverse: "club", toMany: true, ordered: true,
                            deleteRule: .cascade),
                    ]),
                EntityDescription(
                    "Round",
                    properties: [
                        .attribute("length", .integer64),
                        .relationship("club", to: "Club", inverse: "rounds"),
                    ]),
            ])
        }
    }

    /// The names that objects have.
    public static let names = ["", "a", "b", "B", "c", "é"]

    /// Fills an empty school.
    public static func fill(_ context: ManagedObjectContext, _ random: inout some RandomNumberGenerator)
        throws
    {
        for _ in 0..<4 { _ = add("Team", context, &random) }
        for _ in 0..<3 { _ = add("Club", context, &random) }
        for _ in 0..<14 { _ = add("Pupil", context, &random) }
        for _ in 0..<4 { _ = add("Prefect", context, &random) }
        for _ in 0..<20 { _ = add("Mark", context, &random) }
        for _ in 0..<8 { _ = add("Round", context, &random) }
        try context.save()
        for _ in 0..<40 {
            // A batch request makes the context's objects old.
            context.reset()
            try edit(context, &random)
            try context.save()
        }
    }

    private static func add(
        _ entity: String, _ context: ManagedObjectContext, _ random: inout some RandomNumberGenerator
    ) -> ManagedObject {
        let object = context.insert(entity)
        for name in attributes[entity] ?? [] { object[name] = value(of: name, &random) }
        return object
    }

    private static let attributes = [
        "Team": ["rank", "motto"], "Pupil": ["name", "age"], "Prefect": ["name", "age", "badge"],
        "Mark": ["grade"], "Club": ["title"], "Round": ["length"],
    ]

    private static let links = [
        ("Pupil", "team", "Team"), ("Pupil", "mentor", "Pupil"), ("Mark", "pupil", "Pupil"),
        ("Round", "club", "Club"),
    ]

    private static func value(
        of name: String, _ random: inout some RandomNumberGenerator
    ) -> (any Sendable)? {
        if Int.random(in: 0..<8, using: &random) == 0 { return nil }
        return switch name {
        case "name", "motto", "title": names.randomElement(using: &random)
        default: Int64.random(in: 0...4, using: &random)
        }
    }

    /// Changes something and saves it; a conflict with another writer leaves it unchanged.
    public static func work(
        _ container: PersistentContainer, _ random: inout some RandomNumberGenerator & Sendable
    ) async throws {
        let start = random
        let isTransaction = Int.random(in: 0..<3, using: &random) == 0
        do {
            random = try await container.perform(
                isolation: isTransaction ? .readCommitted : nil, retrying: .conflicts(upTo: 5)
            ) { context in
                var random = start
                for _ in 0...Int.random(in: 0..<3, using: &random) { try edit(context, &random) }
                try context.save()
                _ = random.next()
                return random
            }
        } catch is SaveError {
            _ = random.next()
        } catch is FetchError {
            _ = random.next()
        }
    }

    /// Gives a property of some object of an entity another value; nothing for a to-many relationship.
    public static func change(
        _ name: String, of entity: String, in context: ManagedObjectContext,
        _ random: inout some RandomNumberGenerator
    ) throws {
        guard let object = try object(entity, context, &random) else { return }
        if attributes[entity]?.contains(name) == true {
            object[name] = value(of: name, &random)
        } else if let link = links.first(where: { $0.1 == name }) {
            object[name] = try self.object(link.2, context, &random)
        }
    }

    private static func edit(
        _ context: ManagedObjectContext, _ random: inout some RandomNumberGenerator
    ) throws {
        let entity =
            ["Team", "Pupil", "Pupil", "Prefect", "Mark", "Mark", "Club", "Round"].randomElement(
                using: &random) ?? ""
        let objects = try context.fetchObjectIDs(FetchRequest<ManagedObject>(entityName: entity))
        switch Int.random(in: 0..<16, using: &random) {
        case 0, 1: _ = add(entity, context, &random)
        case 2, 3, 4, 5:
            guard let id = objects.randomElement(using: &random),
                let name = attributes[entity]?.randomElement(using: &random)
            else { return }
            try context.existingObject(with: id)[name] = value(of: name, &random)
        case 6, 7, 8:
            guard let (owner, name, destination) = links.randomElement(using: &random) else { return }
            let one = try object(owner, context, &random)
            one?[name] =
                Int.random(in: 0..<5, using: &random) == 0 ? nil : try object(destination, context, &random)
        case 9:
            guard let club = try object("Club", context, &random),
                let pupil = try object("Pupil", context, &random)
            else { return }
            let members = club["members"] as? [ManagedObject] ?? []
            let rest = members.filter { $0 !== pupil }
            club["members"] = rest.count == members.count ? members + [pupil] : rest
        case 14: try order("rounds", adding: nil, context, &random)
        case 15: try order("captains", adding: "Pupil", context, &random)
        case 10, 11:
            // As a fault, so that the save does not know the objects around it.
            guard objects.count > 2, let id = objects.randomElement(using: &random) else { return }
            context.delete(try context.existingObject(with: id))
        case 12:
            var request = FetchRequest<ManagedObject>(entityName: "Mark")
            request.predicate = .format("grade == %d", Int.random(in: 0...4, using: &random))
            _ = try context.execute(
                BatchUpdateRequest(request, set: ["grade": .value(Int64.random(in: 0...4, using: &random))]))
        default:
            var request = FetchRequest<ManagedObject>(entityName: "Mark")
            request.predicate = .format(
                "grade == %d AND pupil.age == %d", Int.random(in: 0...4, using: &random),
                Int.random(in: 0...4, using: &random))
            _ = try context.execute(BatchDeleteRequest(request))
        }
    }

    /// Gives a list of some club another order, and perhaps adds or removes an object.
    private static func order(
        _ name: String, adding entity: String?, _ context: ManagedObjectContext,
        _ random: inout some RandomNumberGenerator
    ) throws {
        guard let club = try object("Club", context, &random) else { return }
        var list = club[name] as? [ManagedObject] ?? []
        list.shuffle(using: &random)
        if let entity, let new = try object(entity, context, &random) {
            let rest = list.filter { $0 !== new }
            list = rest.count == list.count ? [new] + rest : rest
        }
        club[name] = list
    }

    private static func object(
        _ entity: String, _ context: ManagedObjectContext, _ random: inout some RandomNumberGenerator
    ) throws -> ManagedObject? {
        try context.fetchObjectIDs(FetchRequest<ManagedObject>(entityName: entity))
            .randomElement(using: &random).map { try context.existingObject(with: $0) }
    }
}
