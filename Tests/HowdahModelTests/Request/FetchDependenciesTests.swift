import Foundation
import SeededRandom
import Testing

@testable import HowdahModel

/// The dependencies of random predicates against an oracle: evaluate all objects before and after a change.
@Suite struct FetchDependenciesTests {
    @Test func pathsBecomeRoutes() throws {
        let model = try Graph.model
        var dependencies = FetchDependencies(entity: "Pupil", includesSubentities: true, in: model)
        dependencies.add(try PredicateTree(format: "team.rank > 3 AND ANY team.pupils.name == 'a'"))
        dependencies.add(["name"], for: .order)
        dependencies.add(["marks"], for: .values)
        #expect(dependencies.routes.map(\.path) == [[], ["team"], ["team", "pupils"], ["marks"]])
        #expect(dependencies.routes[0].entities == ["Pupil", "Prefect"])
        #expect(
            dependencies.routes[0].properties
                == ["team": .membership, "name": .order, "marks": .values])
        #expect(dependencies.routes[1].uses(of: ["rank"]) == .membership)
        #expect(dependencies.routes[1].uses(of: ["motto"]).isEmpty)
        #expect(dependencies.routes[1].uses(of: nil) == .membership)
        #expect(dependencies.routes[2].crossesToMany && !dependencies.routes[2].isNested)
        #expect(dependencies.routes[3].uses(of: ["anything"]) == .values)
        var nested = FetchDependencies(entity: "Team", includesSubentities: true, in: model)
        nested.add(try PredicateTree(format: "SUBQUERY(pupils, $p, ANY $p.marks.grade > 3).@count > 1"))
        #expect(nested.routes.map(\.path) == [[], ["pupils"], ["pupils", "marks"]])
        #expect(nested.routes[2].isNested)
        let exact = FetchDependencies(entity: "Pupil", includesSubentities: false, in: model)
        #expect(exact.routes[0].entities == ["Pupil"])
    }

    @Test func timeIsSeen() throws {
        #expect(try PredicateTree(format: "due < now()").readsTime)
        let inner = "NOT (a == 1 OR SUBQUERY(b, $x, $x.due > now()).@count > 0)"
        #expect(try PredicateTree(format: inner).readsTime)
        #expect(try !PredicateTree(format: "due < %@", Date.now).readsTime)
    }

    /// No change of a result is without a route, and each route is needed.
    @Test func everyChangeOfMembershipHasARoute() throws {
        var missedWithout: [String: Int] = [:]
        var changes = 0
        for seed in 0..<6_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var graph = Graph(&random)
            let entity = random.pick(["Pupil", "Team", "Mark"])
            let format = random.pick(Graph.formats[entity] ?? [])
            var dependencies = FetchDependencies(
                entity: entity, includesSubentities: true, in: try Graph.model)
            let predicate = try PredicateTree(format: format)
            dependencies.add(predicate)
            let before = try graph.members(of: entity, predicate)
            let change = graph.change(&random)
            let after = try graph.members(of: entity, predicate)
            let moved = before.symmetricDifference(after)
            guard !moved.isEmpty else { continue }
            changes += 1
            let found = graph.candidates(dependencies, change)
            if let found { #expect(moved.subtracting(found) == [], "\(format), seed \(seed): \(change)") }
            for place in dependencies.routes.indices {
                let rest = graph.candidates(dependencies.dropping(place), change)
                if let rest, !moved.isSubset(of: rest) {
                    missedWithout["\(entity) \(format) \(place)", default: 0] += 1
                }
            }
        }
        #expect(changes > 500)
        for (entity, formats) in Graph.formats {
            for format in formats {
                var dependencies = FetchDependencies(
                    entity: entity, includesSubentities: true, in: try Graph.model)
                dependencies.add(try PredicateTree(format: format))
                for place in dependencies.routes.indices {
                    #expect(
                        missedWithout["\(entity) \(format) \(place)"] ?? 0 > 0,
                        "\(entity) \(format): dropping \(dependencies.routes[place].path) was not noticed")
                }
            }
        }
    }
}

/// A small graph of plain values, in which one change at a time is made and named as a history names it.
private struct Graph {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Team",
                    properties: [
                        .attribute("rank", .integer64), .attribute("motto", .string),
                        .relationship("pupils", to: "Pupil", inverse: "team", toMany: true),
                    ]),
                EntityDescription(
                    "Pupil",
                    properties: [
                        .attribute("name", .string), .relationship("team", to: "Team", inverse: "pupils"),
                        .relationship("marks", to: "Mark", inverse: "pupil", toMany: true),
                    ]),
                EntityDescription("Prefect", superentity: "Pupil"),
                EntityDescription(
                    "Mark",
                    properties: [
                        .attribute("grade", .integer64),
                        .relationship("pupil", to: "Pupil", inverse: "marks"),
                    ]),
            ])
        }
    }

    static let formats: [String: [String]] = [
        "Pupil": [
            "name == 'a'", "team.rank > 1", "ANY marks.grade > 1", "marks.@count > 1", "team == NULL",
            "ANY team.pupils.name == 'a'", "NOT (team.rank > 1 OR ALL marks.grade < 2)",
        ],
        "Team": [
            "ANY pupils.name == 'a'", "pupils.@count == 1",
            "SUBQUERY(pupils, $p, ANY $p.marks.grade > 1).@count > 0",
        ],
        "Mark": ["pupil.team.rank == 1", "ANY pupil.marks.grade == 0"],
    ]

    /// A change of one object, or of one link with both its ends.
    struct Change: CustomStringConvertible {
        var rows: [(entity: String, key: Int, property: String?)]
        var isDeletion = false
        var description: String { "\(rows) \(isDeletion)" }
    }

    var ranks: [Int: Int] = [:]
    var names: [Int: String] = [:]
    var prefects: Set<Int> = []
    var teams: [Int: Int] = [:]
    var grades: [Int: Int] = [:]
    var pupils: [Int: Int] = [:]

    init(_ random: inout SeededGenerator) {
        for key in 1...2 { ranks[key] = Int.random(in: 0...3, using: &random) }
        for key in 11...13 {
            names[key] = random.pick(["a", "b"])
            if random.chance(30) { prefects.insert(key) }
            if random.chance(70) { teams[key] = random.pick([1, 2]) }
        }
        for key in 21...24 {
            grades[key] = Int.random(in: 0...3, using: &random)
            if random.chance(80) { pupils[key] = random.pick([11, 12, 13]) }
        }
    }

    private func name(_ pupil: Int) -> String { prefects.contains(pupil) ? "Prefect" : "Pupil" }

    /// Changes something, and names it: of a deletion only the deleted row.
    mutating func change(_ random: inout SeededGenerator) -> Change {
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            let key = random.pick(ranks.keys.sorted())
            ranks[key] = Int.random(in: 0...3, using: &random)
            return Change(rows: [("Team", key, "rank")])
        case 1:
            let key = random.pick(names.keys.sorted())
            names[key] = random.pick(["a", "b"])
            return Change(rows: [(name(key), key, "name")])
        case 2:
            let key = random.pick(grades.keys.sorted())
            grades[key] = Int.random(in: 0...3, using: &random)
            return Change(rows: [("Mark", key, "grade")])
        case 3:
            let key = random.pick(names.keys.sorted())
            let former = teams[key]
            teams[key] = random.chance(20) ? nil : random.pick([1, 2])
            return Change(
                rows: [(name(key), key, "team")]
                    + [former, teams[key]].compactMap { $0 }.map { ("Team", $0, "pupils") })
        case 4:
            let key = random.pick(grades.keys.sorted())
            let former = pupils[key]
            pupils[key] = random.chance(20) ? nil : random.pick([11, 12, 13])
            return Change(
                rows: [("Mark", key, "pupil")]
                    + [former, pupils[key]].compactMap { $0 }.map { (name($0), $0, "marks") })
        case 5:
            let key = random.pick(grades.keys.sorted())
            (grades[key], pupils[key]) = (nil, nil)
            return Change(rows: [("Mark", key, nil)], isDeletion: true)
        case 6:
            // An insertion, which names only its own row.
            grades[30] = Int.random(in: 0...3, using: &random)
            pupils[30] = random.pick([11, 12, 13])
            return Change(rows: [("Mark", 30, nil)])
        case 7:
            let key = random.pick(ranks.keys.sorted())
            ranks[key] = nil
            teams = teams.filter { $0.value != key }
            return Change(rows: [("Team", key, nil)], isDeletion: true)
        default:
            let key = random.pick(names.keys.sorted())
            (names[key], teams[key]) = (nil, nil)
            pupils = pupils.filter { $0.value != key }
            return Change(rows: [(name(key), key, nil)], isDeletion: true)
        }
    }

    // MARK: Evaluation

    private func subject(_ entity: String, _ key: Int, depth: Int = 0) -> Subject {
        guard depth < 5 else { return Subject(Int64(key)) }
        switch entity {
        case "Team":
            let members = teams.filter { $0.value == key }.keys.map { subject("Pupil", $0, depth: depth + 1) }
            return Subject(
                Int64(key), ["rank": .value(.int(Int64(ranks[key] ?? 0))), "pupils": .many(members)])
        case "Pupil":
            let members = pupils.filter { $0.value == key }.keys.map { subject("Mark", $0, depth: depth + 1) }
            return Subject(
                Int64(key),
                [
                    "name": .value(.string(names[key] ?? "")), "marks": .many(members),
                    "team": .one(teams[key].map { subject("Team", $0, depth: depth + 1) }),
                ])
        default:
            return Subject(
                Int64(key),
                [
                    "grade": .value(.int(Int64(grades[key] ?? 0))),
                    "pupil": .one(pupils[key].map { subject("Pupil", $0, depth: depth + 1) }),
                ])
        }
    }

    private func keys(_ entity: String) -> [Int] {
        switch entity {
        case "Team": Array(ranks.keys)
        case "Pupil": Array(names.keys)
        default: Array(grades.keys)
        }
    }

    func members(of entity: String, _ predicate: PredicateTree) throws -> Set<Int> {
        let evaluator = try PredicateEvaluator(predicate)
        return Set(try keys(entity).filter { try evaluator.evaluate(subject(entity, $0)) })
    }

    /// Returns the objects that the routes lead to after the change; nil for all.
    func candidates(_ dependencies: FetchDependencies, _ change: Change) -> Set<Int>? {
        var found: Set<Int> = []
        for route in dependencies.routes {
            for row in change.rows where route.entities.contains(row.entity) {
                if let property = row.property, route.uses(of: [property]).isEmpty { continue }
                if route.path.isEmpty {
                    found.insert(row.key)
                } else if change.isDeletion || route.isNested {
                    return nil
                } else {
                    found.formUnion(owners(of: row.key, at: route.path))
                }
            }
        }
        return found
    }

    private func owners(of key: Int, at path: [String]) -> Set<Int> {
        path.reversed().reduce([key]) { keys, name in
            switch name {
            case "team": Set(teams.filter { keys.contains($0.value) }.keys)
            case "pupils": Set(keys.compactMap { teams[$0] })
            case "marks": Set(keys.compactMap { pupils[$0] })
            case "pupil": Set(pupils.filter { keys.contains($0.value) }.keys)
            default: []
            }
        }
    }
}
