import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Random edits of ordered lists of every shape against arrays: in memory, after each save, and in fresh contexts.
@Suite struct OrderedWalkTests {
    /// The same entities with their classes and without.
    @Test(arguments: [true, false])
    func listsFollowTheModel(typed: Bool) async throws {
        var model = try DeclaredLists.model()
        if !typed {
            model = try ManagedObjectModel(
                entities: model.entities.map { entity in
                    var entity = entity
                    entity.className = nil
                    return entity
                })
        }
        try await withTestStore(model) { container in
            for seed in UInt64(1)..<TestTier.choose(quick: 6, all: 16, nightly: 500) {
                let failure = try await container.perform { context in
                    var walk = ListWalk(seed: seed, context: context, container: container)
                    do {
                        return try walk.run(steps: 80)
                    } catch {
                        return "\(error)\n" + walk.trace.joined(separator: "\n")
                    }
                }
                if !failure.isEmpty {
                    Issue.record("seed \(seed), typed \(typed): \(failure)")
                    return
                }
                try await container.perform { context in
                    for name in ["Album", "Song", "Listener"] {
                        for object in try context.fetch(name) { context.delete(object) }
                    }
                    try context.save()
                }
            }
        }
    }
}

/// One random walk; stops at the first difference and tells how it came about.
private struct ListWalk {
    private var random: SeededGenerator
    private let context: ManagedObjectContext
    private let container: PersistentContainer
    private var lists = Lists()
    private var objects: [String: ManagedObject] = [:]
    private var counts: [String: Int] = [:]
    private(set) var trace: [String] = []

    private static let names = ["Album": "title", "Song": "number", "Single": "number", "Listener": "name"]

    init(seed: UInt64, context: ManagedObjectContext, container: PersistentContainer) {
        random = SeededGenerator(seed: seed)
        self.context = context
        self.container = container
    }

    mutating func run(steps: Int) throws -> String {
        for _ in 0..<3 { create("Album") }
        for _ in 0..<6 { create("Song") }
        for _ in 0..<4 { create("Listener") }
        for _ in 0..<steps {
            try step()
            if random.chance(20), let difference = lists.difference(objects) {
                return report("memory", difference)
            }
        }
        try save()
        return try compareFresh() ?? ""
    }

    private func report(_ place: String, _ difference: String) -> String {
        "\(place): \(difference)\n" + trace.joined(separator: "\n")
    }

    private mutating func create(_ entity: String) {
        counts[entity, default: 0] += 1
        let number = counts[entity] ?? 0
        let object = context.insert(entity == "Song" && random.chance(30) ? "Single" : entity)
        let id = "\(entity)\(number)"
        object.setValue(entity == "Song" ? number as Any : id, forKey: Self.names[entity] ?? "")
        objects[id] = object
        lists.owners.insert(id)
        trace.append("new \(id)")
    }

    private mutating func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: create(random.pick(["Album", "Song", "Song", "Listener"]))
        case 6..<14: setAlbum()
        case 14..<19:
            try save()
            if let difference = try compareFresh() { throw Difference(text: difference) }
        case 19..<23:
            try save()
            try forget()
        case 23..<26: try delete()
        default: edit()
        }
    }

    private mutating func edit() {
        let (name, owners, members) = random.pick([
            ("songs", "Album", "Song"), ("songs", "Album", "Song"), ("guests", "Album", "Song"),
            ("loans", "Album", "Song"), ("listeners", "Song", "Listener"), ("songs", "Listener", "Song"),
            ("rivals", "Listener", "Listener"),
        ])
        guard let owner = pick(owners), let object = objects[owner], let id = pick(members),
            let member = objects[id]
        else { return }
        let list = Lists.Name(owner: owner, list: name)
        let view = object.orderedMembers(forKey: name)
        let present = lists[list]
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            trace.append("append \(id) to \(list)")
            view.append(member)
            lists.add(id, to: list)
        case 2:
            let place = Int.random(in: 0...present.count, using: &random)
            trace.append("insert \(id) into \(list) at \(place)")
            view.insert(member, at: place)
            if !present.contains(id) {
                lists.add(id, to: list)
                lists.move(id, in: list, to: place)
            }
        case 3:
            trace.append("remove \(id) from \(list)")
            view.remove(member)
            lists.remove(id, from: list)
        case 4:
            guard !present.isEmpty else { return }
            let (moved, place) = (random.pick(present), Int.random(in: present.indices, using: &random))
            guard let object = objects[moved] else { return }
            trace.append("move \(moved) in \(list) to \(place)")
            view.move(object, to: place)
            lists.move(moved, in: list, to: place)
        default:
            let wanted = (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in pick(members) }
            let distinct = wanted.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            trace.append("replace \(list) with \(distinct)")
            if random.chance(50) {
                view.replace(with: wanted.compactMap { objects[$0] })
            } else {
                object.setValue(wanted.compactMap { objects[$0] }, forKey: name)
            }
            for id in present where !distinct.contains(id) { lists.remove(id, from: list) }
            for id in distinct { lists.add(id, to: list) }
            lists.set(distinct, as: list)
        }
    }

    private mutating func setAlbum() {
        guard let song = pick("Song"), let album = pick("Album"), let object = objects[song] else { return }
        if random.chance(30), let present = lists.album(of: song), let back = objects[present] {
            // Out and in again is to the end, also of a list that nobody looked at.
            trace.append("\(song) leaves \(present) and comes back")
            object.setValue(nil, forKey: "album")
            object.setValue(back, forKey: "album")
            lists.leaveAlbum(song)
            lists.add(song, to: Lists.Name(owner: present, list: "songs"))
            return
        }
        let isRemoval = random.chance(25)
        trace.append("\(song).album = \(isRemoval ? "nil" : album)")
        object.setValue(isRemoval ? nil : objects[album], forKey: "album")
        let list = Lists.Name(owner: album, list: "songs")
        if isRemoval {
            lists.leaveAlbum(song)
        } else if !lists[list].contains(song) {
            lists.add(song, to: list)
        }
    }

    private mutating func delete() throws {
        guard let id = pick(random.pick(["Song", "Listener", "Album"])), let object = objects[id] else {
            return
        }
        trace.append("delete \(id)")
        context.delete(object)
        objects[id] = nil
        lists.delete(id)
        try save()
    }

    private mutating func save() throws {
        trace.append("save")
        try context.save()
    }

    /// Lets go of all objects, so that lists are not loaded.
    private mutating func forget() throws {
        trace.append("forget")
        objects = [:]
        context.reset()
        objects = try Self.read(context)
    }

    private static func read(_ context: ManagedObjectContext) throws -> [String: ManagedObject] {
        var objects: [String: ManagedObject] = [:]
        for (entity, key) in [("Album", "title"), ("Song", "number"), ("Listener", "name")] {
            for object in try context.fetch(entity) {
                let value = object.value(forKey: key)
                objects[(value as? String) ?? "Song\(value as? Int64 ?? 0)"] = object
            }
        }
        return objects
    }

    private func compareFresh() throws -> String? {
        try container.newBackgroundContext().performAndWait { [lists, trace] context in
            try lists.difference(Self.read(context)).map { "store: \($0)\n" + trace.joined(separator: "\n") }
        }
    }

    private mutating func pick(_ entity: String) -> String? {
        let ids = objects.keys.filter { $0.hasPrefix(entity) }.sorted()
        return ids.isEmpty ? nil : random.pick(ids)
    }

    private struct Difference: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}

/// What the lists should be.
private struct Lists: Sendable {
    struct Name: Hashable, CustomStringConvertible {
        let owner: String
        let list: String
        var description: String { "\(owner).\(list)" }
    }

    var owners: Set<String> = []
    private var members: [Name: [String]] = [:]

    subscript(name: Name) -> [String] { members[name] ?? [] }

    mutating func add(_ id: String, to name: Name) {
        if self[name].contains(id) { return }
        if name.owner.hasPrefix("Album"), name.list == "songs" { leaveAlbum(id) }
        members[name, default: []].append(id)
        if let turned = turned(id, name), !self[turned].contains(name.owner) {
            members[turned, default: []].append(name.owner)
        }
    }

    mutating func remove(_ id: String, from name: Name) {
        members[name]?.removeAll { $0 == id }
        if let turned = turned(id, name) { members[turned]?.removeAll { $0 == name.owner } }
    }

    mutating func move(_ id: String, in name: Name, to place: Int) {
        members[name]?.removeAll { $0 == id }
        members[name]?.insert(id, at: place)
    }

    mutating func set(_ ids: [String], as name: Name) { members[name] = ids }

    mutating func leaveAlbum(_ song: String) {
        for name in members.keys where name.owner.hasPrefix("Album") && name.list == "songs" {
            members[name]?.removeAll { $0 == song }
        }
    }

    func album(of song: String) -> String? {
        members.first {
            $0.key.owner.hasPrefix("Album") && $0.key.list == "songs" && $0.value.contains(song)
        }?.key.owner
    }

    mutating func delete(_ id: String) {
        owners.remove(id)
        for name in members.keys {
            if name.owner == id { members[name] = nil } else { members[name]?.removeAll { $0 == id } }
        }
    }

    /// The ordered list at the other end; guests have an unordered one, loans none.
    private func turned(_ id: String, _ name: Name) -> Name? {
        switch (name.owner.prefix(1), name.list) {
        case ("L", "songs"): Name(owner: id, list: "listeners")
        case ("S", "listeners"): Name(owner: id, list: "songs")
        case ("L", "rivals"): Name(owner: id, list: "rivals")
        default: nil
        }
    }

    func difference(_ objects: [String: ManagedObject]) -> String? {
        if Set(objects.keys) != owners { return "objects \(objects.keys.sorted()), not \(owners.sorted())" }
        var ids: [ObjectIdentifier: String] = [:]
        for (id, object) in objects { ids[ObjectIdentifier(object)] = id }
        for (id, object) in objects.sorted(by: { $0.key < $1.key }) {
            let names: [String] =
                switch id.prefix(1) {
                case "A": ["songs", "guests", "loans"]
                case "S": ["listeners"]
                default: ["songs", "rivals"]
                }
            for name in names {
                let expected = self[Name(owner: id, list: name)]
                let found = object.orderedMembers(forKey: name).map { ids[ObjectIdentifier($0)] ?? "?" }
                if found != expected { return "\(id).\(name) is \(found), not \(expected)" }
            }
            if id.hasPrefix("Song") {
                let album = (object["album"] as? ManagedObject).flatMap { ids[ObjectIdentifier($0)] }
                if album != self.album(of: id) { return "\(id).album is \(album ?? "nil")" }
                let albums = Set(object.members(forKey: "albums").map { ids[ObjectIdentifier($0)] ?? "?" })
                let hosts = Set(
                    members.filter { $0.key.list == "guests" && $0.value.contains(id) }.keys.map(\.owner))
                if albums != hosts { return "\(id).albums is \(albums), not \(hosts)" }
            }
        }
        return nil
    }
}
