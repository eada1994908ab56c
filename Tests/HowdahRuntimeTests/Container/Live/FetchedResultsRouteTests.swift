import Howdah
import HowdahModel
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Each kind of dependency of a result is needed: without it, a change that it leads to is missed.
@Suite(.timeLimit(.minutes(60))) struct FetchedResultsRouteTests {
    /// A result, the path of a route, and a change that reaches the result by no other one.
    private struct Case: Sendable {
        let entity: String
        var format: String?
        var sortKeys: [String] = []
        var prefetched: [String] = []
        let route: [String]
        let change: @Sendable (Roster) throws -> Void

        init(
            _ entity: String, _ format: String?, sortedBy sortKeys: [String] = [], prefetching: [String] = [],
            without route: [String], _ change: @escaping @Sendable (Roster) throws -> Void
        ) {
            self.entity = entity
            self.format = format
            self.sortKeys = sortKeys
            prefetched = prefetching
            self.route = route
            self.change = change
        }
    }

    private static let cases: [Case] = [
        // A change of a relationship whose other end the result leaves.
        Case("Pupil", "team.rank > 1", without: []) { try $0["p1"]["team"] = nil },
        Case("Pupil", "team.rank > 1", without: ["team"]) { try $0["t1"]["rank"] = Int64(0) },
        Case("Pupil", "ANY marks.grade > 2", without: []) { try $0["m1"]["pupil"] = $0["p3"] },
        Case("Pupil", "ANY marks.grade > 2", without: ["marks"]) { try $0["m1"]["grade"] = Int64(0) },
        Case("Team", "SUBQUERY(pupils, $p, $p.age > 2).@count > 1", without: []) {
            try $0["p1"]["team"] = $0["t2"]
        },
        Case("Team", "SUBQUERY(pupils, $p, $p.age > 2).@count > 1", without: ["pupils"]) {
            try $0["p1"]["age"] = Int64(0)
        },
        Case("Club", "ANY members.name == 'a'", without: []) { try $0["c1"]["members"] = [$0["p2"]] },
        Case("Club", "ANY members.name == 'a'", without: ["members"]) { try $0["p1"]["name"] = "z" },
        Case("Mark", "pupil.mentor.age > 1", without: []) { try $0.delete("m1") },
        Case("Mark", "pupil.mentor.age > 1", without: ["pupil"]) { try $0["p1"]["mentor"] = nil },
        Case("Mark", "pupil.mentor.age > 1", without: ["pupil", "mentor"]) { try $0["p2"]["age"] = Int64(0) },
        // Over more than one to-many relationship.
        Case(
            "Pupil", "SUBQUERY(team.pupils, $q, ANY $q.marks.grade > 2).@count > 0",
            without: ["team", "pupils", "marks"]
        ) {
            try $0["m1"]["grade"] = Int64(0)
        },
        Case("Team", "pupils.@max.age > 2 AND pupils.@sum.age > 5", without: ["pupils"]) {
            try $0["p1"]["age"] = Int64(1)
        },
        // Derived attributes are of the object itself.
        Case("Team", "size > 1", without: []) { try $0["p1"]["team"] = $0["t2"] },
        Case("Pupil", "points > 2", without: []) { try $0["m1"]["grade"] = Int64(0) },
        Case("Pupil", "slogan == 'up'", without: []) { try $0["t1"]["motto"] = "down" },
        // Places of lists.
        Case("Club", "captains[FIRST].name == 'a'", without: []) {
            try $0["c1"]["captains"] = [$0["p2"], $0["p1"]]
        },
        Case("Club", "captains[FIRST].name == 'a'", without: ["captains"]) { try $0["p1"]["name"] = "z" },
        Case("Club", "rounds[LAST].length > 1", without: []) {
            try $0["c1"]["rounds"] = [$0["r2"], $0["r1"]]
        },
        Case("Club", "rounds[LAST].length > 1", without: ["rounds"]) { try $0["r2"]["length"] = Int64(0) },
        Case("Club", "rounds[SIZE] > 1", without: []) { try $0["r1"]["club"] = $0["c2"] },
        // Orders and sections.
        Case("Pupil", nil, sortedBy: ["name"], without: []) { try $0["p1"]["name"] = "z" },
        Case("Pupil", nil, sortedBy: ["team.rank"], without: ["team"]) { try $0["t2"]["rank"] = Int64(9) },
        Case("Mark", nil, sortedBy: ["pupil.name"], without: ["pupil"]) { try $0["p1"]["name"] = "z" },
        // What is shown with the objects.
        Case("Pupil", nil, prefetching: ["team"], without: ["team"]) { try $0["t1"]["rank"] = Int64(9) },
        Case("Club", nil, prefetching: ["rounds"], without: ["rounds"]) { try $0["r1"]["length"] = Int64(9) },
        Case("Mark", nil, prefetching: ["pupil.team"], without: ["pupil"]) { try $0["p1"]["team"] = nil },
    ]

    @Test func eachRouteIsNeeded() async throws {
        try await LiveStore.with(try School.model) { store in
            for (number, part) in Self.cases.enumerated() {
                try await store.other.perform { try Roster.fill($0) }
                var fetch = FetchRequest<ManagedObject>(entityName: part.entity)
                fetch.predicate = part.format.map { .format($0) }
                fetch.sortDescriptors = part.sortKeys.map { .key($0) }
                fetch.relationshipKeyPathsForPrefetching = part.prefetched
                let whole = try await Follower(fetch, without: nil, store)
                let variant = try await Follower(fetch, without: part.route, store)
                try await store.other.perform { context in
                    try part.change(Roster(context: context))
                    try context.save()
                }
                let token = try await store.container.currentHistoryToken()
                try await store.container.hub.catchUp(to: token)
                let place: Comment = "\(number): \(part.entity) \(part.format ?? "-") without \(part.route)"
                #expect(try await whole.isRight(store), place)
                #expect(try await !variant.isRight(store), place)
            }
        }
    }

    /// A followed result, perhaps without one of its routes.
    private struct Follower {
        private let request: ResultRequest
        private let subscriber: ResultSubscriber
        private let listener: ChangeListener
        private let former: [ObjectID<ManagedObject>]

        init(_ fetch: FetchRequest<ManagedObject>, without path: [String]?, _ store: LiveStore) async throws {
            var request = try await store.container.perform { context in
                try ResultRequest(
                    fetch, of: context.layout(for: fetch), in: context.store.layouts, sectionedBy: nil,
                    principal: path.map { "without \($0)" })
            }
            if let path {
                let place = try #require(request.dependencies.routes.firstIndex { $0.path == path })
                request.dependencies = request.dependencies.dropping(place)
            }
            self.request = request
            listener = ChangeListener(store.container.hub)
            try await store.container.hub.begin()
            subscriber = store.container.followed.subscribe(request)
            former = try await subscriber.evaluated().version.list.rows
        }

        /// Returns whether the result equals a fetch, and something changed in it or in what it shows.
        func isRight(_ store: LiveStore) async throws -> Bool {
            let (version, changed) = try await subscriber.evaluated()
            let fetch = request.fetch
            let fresh = try await store.other.perform { try $0.fetchObjectIDs(fetch) }
            return version.list.rows == fresh && (fresh != former || changed?.isEmpty == false)
        }
    }
}

/// Objects of a school by short names.
private struct Roster {
    let context: ManagedObjectContext

    /// Replaces all objects.
    static func fill(_ context: ManagedObjectContext) throws {
        for entity in ["Mark", "Round", "Club", "Pupil", "Team"] {
            for object in try context.fetch(entity) { context.delete(object) }
        }
        try context.save()
        func make(_ entity: String, _ values: [String: any Sendable]) -> ManagedObject {
            let object = context.insert(entity)
            for (name, value) in values { object[name] = value }
            return object
        }
        let teams = [
            make("Team", ["rank": Int64(2), "motto": "up"]), make("Team", ["rank": Int64(0), "motto": "t2"]),
        ]
        let pupils = [("a", 3), ("b", 3), ("c", 1)].map { name, age in
            make("Pupil", ["name": name, "age": Int64(age)])
        }
        for (place, team) in [0, 0, 1].enumerated() { pupils[place]["team"] = teams[team] }
        pupils[0]["mentor"] = pupils[1]
        make("Mark", ["grade": Int64(3)])["pupil"] = pupils[0]
        make("Mark", ["grade": Int64(1)])["pupil"] = pupils[2]
        let clubs = [make("Club", ["title": "c1"]), make("Club", ["title": "c2"])]
        clubs[0]["members"] = [pupils[0], pupils[1]]
        clubs[1]["members"] = [pupils[2]]
        clubs[0]["captains"] = [pupils[0], pupils[1]]
        clubs[0]["rounds"] = [make("Round", ["length": Int64(1)]), make("Round", ["length": Int64(2)])]
        try context.save()
    }

    /// The object with a name: the small first letter of its entity, and its number in the order of insertion.
    subscript(name: String) -> ManagedObject {
        get throws {
            let entities = ["Team", "Pupil", "Mark", "Club", "Round"]
            let entity = try #require(entities.first { $0.lowercased().hasPrefix(name.prefix(1)) })
            let objects = try context.fetch(entity).sorted { $0.objectID.key < $1.objectID.key }
            return objects[try #require(Int(name.dropFirst())) - 1]
        }
    }

    func delete(_ name: String) throws { context.delete(try self[name]) }
}
