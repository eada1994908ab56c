import Howdah
import SeededRandom

/// Random requests of a school: conditions of the whole grammar, orders, sections and limits.
struct SchoolRequests {
    var random: SeededGenerator

    struct Request: CustomStringConvertible {
        var fetch: FetchRequest<ManagedObject>
        var sections: String?
        var description: String {
            let keys = fetch.sortDescriptors.map { "\($0.keyPath) \($0.isAscending)" }
            return
                "\(fetch.entityName ?? "") \(fetch.predicate?.description ?? "-") by \(keys) limit \(fetch.fetchLimit) "
                + "sections \(sections ?? "-") subentities \(fetch.includesSubentities)"
        }
    }

    /// Paths to numbers and texts, without a to-many relationship, by entity.
    private static let paths: [String: [(path: String, isNumber: Bool)]] = [
        "Team": [("rank", true), ("motto", false), ("size", true)],
        "Pupil": [
            ("age", true), ("name", false), ("points", true), ("slogan", false), ("team.rank", true),
            ("team.motto", false), ("mentor.name", false), ("mentor.team.size", true),
            ("mentor.team.rank", true),
        ],
        "Prefect": [("badge", true), ("name", false), ("team.rank", true)],
        "Mark": [
            ("grade", true), ("pupil.name", false), ("pupil.team.rank", true), ("pupil.mentor.age", true),
        ],
        "Club": [("title", false)],
        "Round": [("length", true), ("club.title", false)],
    ]

    /// Paths to objects at a place of a list, and to their numbers or texts.
    private static let places: [String: [(path: String, isNumber: Bool)]] = [
        "Club": [
            ("rounds[FIRST].length", true), ("rounds[1].length", true), ("captains[LAST].name", false),
            ("captains[0].points", true), ("captains[SIZE]", true),
        ],
        "Round": [("club.captains[FIRST].name", false), ("club.rounds[LAST].length", true)],
    ]

    private static let toManys: [String: [(path: String, entity: String)]] = [
        "Team": [("pupils", "Pupil")],
        "Pupil": [("marks", "Mark"), ("clubs", "Club"), ("mentees", "Pupil"), ("team.pupils", "Pupil")],
        "Prefect": [("marks", "Mark"), ("clubs", "Club")],
        "Mark": [("pupil.clubs", "Club"), ("pupil.marks", "Mark")],
        "Club": [("members", "Pupil"), ("captains", "Pupil"), ("rounds", "Round")],
        "Round": [("club.captains", "Pupil")],
    ]

    mutating func next() -> Request {
        let entity = random.pick(["Team", "Pupil", "Pupil", "Pupil", "Prefect", "Mark", "Club", "Round"])
        var fetch = FetchRequest<ManagedObject>(entityName: entity)
        if random.chance(85) { fetch.predicate = .format(condition(entity, depth: 2)) }
        if entity == "Pupil" { fetch.includesSubentities = random.chance(80) }
        let paths = (Self.paths[entity] ?? []).shuffled(using: &random)
        fetch.sortDescriptors = paths.prefix(Int.random(in: 0...2, using: &random)).map {
            .key($0.path, ascending: random.chance(60))
        }
        fetch.fetchLimit = random.pick([0, 0, 1, 3, 8])
        if random.chance(15), let (path, _) = Self.toManys[entity]?.first {
            fetch.relationshipKeyPathsForPrefetching = [path]
        }
        let sections = random.chance(40) ? fetch.sortDescriptors.first?.keyPath : nil
        return Request(fetch: fetch, sections: sections)
    }

    private mutating func condition(_ entity: String, depth: Int, variable: String = "") -> String {
        if depth > 0 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                return
                    "(\(condition(entity, depth: depth - 1, variable: variable)) AND \(condition(entity, depth: depth - 1, variable: variable)))"
            case 2, 3:
                return
                    "(\(condition(entity, depth: depth - 1, variable: variable)) OR \(condition(entity, depth: depth - 1, variable: variable)))"
            case 4: return "NOT (\(condition(entity, depth: depth - 1, variable: variable)))"
            case 5, 6, 7: return members(entity, depth: depth, variable: variable)
            default: break
            }
        }
        if let (path, isNumber) = Self.places[entity]?.randomElement(using: &random), random.chance(50) {
            return comparison("\(variable)\(path)", isNumber, isOfMembers: true)
        }
        guard let (path, isNumber) = Self.paths[entity]?.randomElement(using: &random) else {
            return "TRUEPREDICATE"
        }
        return comparison("\(variable)\(path)", isNumber)
    }

    private mutating func members(_ entity: String, depth: Int, variable: String) -> String {
        guard let (path, member) = Self.toManys[entity]?.randomElement(using: &random) else {
            return "TRUEPREDICATE"
        }
        let own = variable + path
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return
                "\(own).@count \(random.pick(["==", ">", "<=", "!="])) \(Int.random(in: 0...3, using: &random))"
        case 1, 2:
            guard
                let (inner, isNumber) = Self.paths[member]?.filter({ !$0.path.contains(".") }).randomElement(
                    using: &random)
            else { return "TRUEPREDICATE" }
            let condition = comparison("\(own).\(inner)", isNumber, isOfMembers: true)
            return "\(random.pick(["ANY", "ALL", "NONE"])) \(condition)"
        case 3 where member == "Mark": return "\(own).@sum.grade > \(Int.random(in: 0...6, using: &random))"
        default:
            let name = "$v\(depth)"
            let inner = condition(member, depth: depth - 1, variable: name + ".")
            return
                "SUBQUERY(\(own), \(name), \(inner)).@count \(random.pick([">", "=="])) \(random.pick([0, 1]))"
        }
    }

    /// - Parameter isOfMembers: Indicates whether a quantifier precedes, which needs a key path on the left side.
    private mutating func comparison(_ path: String, _ isNumber: Bool, isOfMembers: Bool = false) -> String {
        let number = Int.random(in: 0...4, using: &random)
        let text = random.pick(["a", "b", "B", "é", ""])
        if random.chance(10) { return "\(path) \(random.pick(["==", "!="])) NULL" }
        if isNumber {
            return random.pick([
                "\(path) \(random.pick(["==", "!=", "<", ">=", ">"])) \(number)",
                "\(path) BETWEEN {1, \(number)}",
                "\(path) IN {0, \(number)}", isOfMembers ? "\(path) >= 2" : "\(path) * 2 > \(number)",
            ])
        }
        return random.pick([
            "\(path) == '\(text)'", "\(path) !=[c] '\(text)'", "\(path) BEGINSWITH[cd] '\(text)'",
            "\(path) < '\(text)'",
            "\(path) LIKE '*\(text)'", "\(path) IN {'a', '\(text)'}",
            isOfMembers ? "\(path) == 'a'" : "length:(\(path)) > 0",
            "\(path) CONTAINS[cd] 'e'",
        ])
    }
}
