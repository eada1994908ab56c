import Howdah
import SeededRandom

@testable import HowdahRuntime

extension WildSequence {
    /// Saves; what the rules refuse must be refused, and leave everything as it was.
    mutating func save() throws {
        walk.trace.append("save")
        var expected = graph
        for number in doomed { expected.delete(number) }
        let refusals = expected.refusals
        do {
            try context.save()
        } catch let error as SaveError {
            let codes = refusals.map { $0 == .denied ? SaveError.Code.referentialIntegrity : .validation }
            guard codes.contains(error.code) else { throw error }
            walk.trace.append("refused, \(error.code)")
            walk.count("refused, \(error.code)")
            if isWatched, doomed.isEmpty { try compare("a refused save") }
            return
        }
        guard refusals.isEmpty else { throw WildFailure("a save that was not refused: \(refusals)") }
        walk.count("save")
        isPristine = false
        doomed = []
        graph = expected.normalized
        if mode == .undo { states[place] = graph }
        walk.committed = graph
        walk.ids = objects.filter { graph.isLiving($0.key) }.mapValues(\.objectID)
        if context.hasChanges { throw WildFailure("changes after a save") }
        try compareStore()
    }

    /// Takes away what a save would refuse.
    mutating func repair() throws {
        for _ in 0..<20 {
            var expected = graph
            for number in doomed { expected.delete(number) }
            guard !expected.refusals.isEmpty else { break }
            for number in expected.living {
                guard let node = expected.nodes[number], graph.isLiving(number) else { continue }
                for relation in node.kind.relations {
                    repair(
                        relation, of: number, expected[number, relation].filter(expected.isLiving), expected)
                }
            }
        }
        try endStep()
    }

    private mutating func repair(_ relation: Int, of number: Int, _ members: [Int], _ expected: WildGraph) {
        let description = WildRelation.all[relation]
        if description.isRequired, members.isEmpty {
            let free = expected.living(.box).filter { box in
                description.name == "home" || expected[box, description.inverse ?? 0].isEmpty
            }
            if let box = free.first {
                set(relation, of: number, to: box)
            } else if !doomed.contains(number), expected.isLiving(number) {
                delete(number)
            }
        } else if let limit = description.maxCount, members.count > limit, let extra = members.last,
            let member = objects[extra]
        {
            walk.trace.append("remove \(extra) from \(description.name) of \(number)")
            objects[number]?.members(forKey: description.name).remove(member)
            graph.remove(extra, from: relation, of: number)
        }
    }

    // MARK: Reading again

    mutating func refresh() throws {
        guard let number = pick(walk.random.pick([.item, .item, .box, .seal])), let object = objects[number]
        else { return }
        switch Int.random(in: 0..<4, using: &walk.random) {
        case 0:
            walk.trace.append("refresh all")
            walk.count("refresh all")
            try context.refreshAllObjects()
        case 1:
            walk.trace.append("refresh \(number), keeping changes")
            walk.count("refresh, keeping changes")
            try context.refresh(object, mergeChanges: true)
        default:
            if object.changedPropertyNames.isEmpty {
                walk.trace.append("refresh \(number)")
                walk.count("refresh")
                context.refresh(object)
            } else {
                try drop(number, object)
            }
        }
    }

    /// Refreshes a changed object: what its row holds is as stored, both ends of everything agree.
    ///
    /// A change of a one-to-one is half in another object's row, and would be dropped by half.
    private mutating func drop(_ number: Int, _ object: ManagedObject) throws {
        let committed = walk.committed
        guard isWatched, doomed.isEmpty, context.deletedObjects.isEmpty, committed.isLiving(number),
            object.isUpdated,
            WildRelation.oneToOnes.allSatisfy({ graph[number, $0] == committed[number, $0] }),
            committed.nodes[number]?.links.values.joined().allSatisfy(graph.isLiving) ?? false
        else { return }
        walk.trace.append("refresh \(number), dropping changes")
        walk.count("refresh, dropping changes")
        context.refresh(object)
        let found = try present()
        if let error = context.failure { throw error }
        let (before, after) = (committed.nodes[number], found.nodes[number])
        guard before?.value == after?.value, before?.note == after?.note else {
            throw WildFailure("a refreshed object is not as it is stored")
        }
        for relation in object.isUpdated ? [] : WildRelation.toOnes
        where found[number, relation] != committed[number, relation] {
            throw WildFailure("\(WildRelation.all[relation].name) of a refreshed object is not as stored")
        }
        if let asymmetry = found.asymmetry { throw WildFailure("after a refresh: \(asymmetry)") }
        graph = found
    }

    mutating func fetch() throws {
        guard doomed.isEmpty, let kind = WildKind.allCases.randomElement(using: &walk.random) else { return }
        let limit = walk.random.chance(50) ? Int.random(in: 0..<20, using: &walk.random) : 0
        walk.trace.append("fetch \(kind), value >= \(limit)")
        walk.count("fetch")
        var request = FetchRequest<ManagedObject>(entityName: kind.rawValue)
        if limit > 0 { request.predicate = .format("value >= %d", limit) }
        let found = try context.fetch(request)
        let expected = graph.living(kind).filter { graph.nodes[$0]?.value ?? 0 >= limit }
        let numbers = found.map { self.numbers[ObjectIdentifier($0)] ?? -1 }
        guard numbers.sorted() == expected else {
            throw WildFailure("fetched \(numbers.sorted()), not \(expected)")
        }
        guard try context.count(for: request) == expected.count else {
            throw WildFailure("counted \(try context.count(for: request)), not \(expected.count)")
        }
    }

    // MARK: Others

    /// Another context saves a change of what is unchanged here; here it is seen once it is refreshed.
    mutating func changeElsewhere() throws {
        let unchanged = graph.living(.item).filter {
            graph.nodes[$0] == walk.committed.nodes[$0] && !doomed.contains($0)
        }
        guard doomed.isEmpty, let number = unchanged.randomElement(using: &walk.random),
            let other = unchanged.randomElement(using: &walk.random), let id = walk.ids[number],
            let otherID = walk.ids[other]
        else { return }
        let relation = walk.random.pick([nil, nil, 0, 4])
        walk.lastNumber += 1
        let value = 100 + walk.lastNumber
        var touched = [number]
        if let relation {
            let isKnown = [relation, WildRelation.all[relation].inverse ?? relation].allSatisfy { relation in
                graph.nodes.keys.allSatisfy { graph[$0, relation] == walk.committed[$0, relation] }
            }
            // A link that is taken away here without being looked at stays so, whatever others do.
            guard isKnown, context.links.all.allSatisfy(\.isCertain) else { return }
            if context.links.all.contains(where: { !$0.isInsertion }) {
                walk.count("elsewhere, with links to go")
            }
            touched += [other] + graph[number, relation]
            walk.trace.append("elsewhere \(WildRelation.all[relation].name) of \(number) gets \(other)")
        } else {
            walk.trace.append("elsewhere value of \(number) = \(value)")
        }
        walk.count("elsewhere")
        try container.newBackgroundContext().performAndWait { context in
            let object = context.object(with: id)
            switch relation {
            case 0: object["parent"] = context.object(with: otherID)
            case 4: object.members(forKey: "links").insert(context.object(with: otherID))
            default: object["value"] = value
            }
            try context.save()
        }
        apply(relation, value, number, other, to: &graph)
        apply(relation, value, number, other, to: &walk.committed)
        if walk.random.chance(50) {
            try context.refreshAllObjects()
        } else {
            for number in touched {
                if let object = objects[number] { try context.refresh(object, mergeChanges: true) }
            }
        }
        forgetSteps()
    }

    private func apply(
        _ relation: Int?, _ value: Int, _ number: Int, _ other: Int, to graph: inout WildGraph
    ) {
        if let relation {
            graph.add(other, to: relation, of: number)
        } else {
            graph.nodes[number]?.value = value
        }
    }

    /// Another context saves a change of what is changed here too: the save finds it, and a refresh puts the changes
    /// here on top.
    mutating func collide() throws {
        let changed = graph.living.filter { number in
            walk.committed.isLiving(number) && objects[number]?.isUpdated == true
                && graph.nodes[number]?.value != walk.committed.nodes[number]?.value
                && graph.nodes[number]?.note == walk.committed.nodes[number]?.note
        }
        guard doomed.isEmpty, let number = changed.randomElement(using: &walk.random),
            let id = walk.ids[number], let object = objects[number]
        else { return }
        walk.lastNumber += 1
        let note = "elsewhere \(walk.lastNumber)"
        walk.trace.append("elsewhere note of \(number) = \(note), and a save")
        try container.newBackgroundContext().performAndWait { context in
            context.object(with: id)["note"] = note
            try context.save()
        }
        walk.committed.nodes[number]?.note = note
        if graph.refusals.isEmpty {
            do {
                try context.save()
                throw WildFailure("a lost update")
            } catch let error as SaveError where error.code == .conflict {
                guard error.conflicts.contains(where: { $0.objectID == id }) else { throw error }
                walk.count("conflict")
            }
        }
        if isWatched { try compare("a conflict") }
        try context.refresh(object, mergeChanges: true)
        graph.nodes[number]?.note = note
        forgetSteps()
    }
}
