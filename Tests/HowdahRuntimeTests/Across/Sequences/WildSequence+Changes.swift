import Howdah
import SeededRandom

@testable import HowdahRuntime

extension WildSequence {
    /// A living number of a kind that no pending deletion names.
    mutating func pick(_ kind: WildKind) -> Int? {
        let all = graph.living(kind).filter { !doomed.contains($0) }
        return all.isEmpty ? nil : walk.random.pick(all)
    }

    mutating func create(_ kind: WildKind) {
        walk.lastNumber += 1
        let number = walk.lastNumber
        walk.trace.append("new \(kind) \(number)")
        walk.count("insert")
        let object = context.insert(kind.rawValue)
        object["number"] = number
        remember(object, number)
        graph.nodes[number] = WildGraph.Node(kind: kind)
        let required = WildRelation.all.indices.filter {
            WildRelation.all[$0].isRequired && WildRelation.all[$0].owner == kind
        }
        for relation in required where walk.random.chance(95) {
            if let member = pick(WildRelation.all[relation].destination) {
                set(relation, of: number, to: member)
            }
        }
    }

    mutating func delete() {
        guard graph.living.count > 5, let kind = WildKind.allCases.randomElement(using: &walk.random),
            let number = pick(kind)
        else { return }
        delete(number)
    }

    mutating func delete(_ number: Int) {
        guard let object = objects[number] else { return }
        walk.trace.append("delete \(number)")
        walk.count("delete")
        context.delete(object)
        if mode == .plain {
            doomed.append(number)
        } else {
            // What is deleted must not be changed before the rules were applied to it.
            context.propagateDeletions()
            graph.delete(number)
        }
    }

    mutating func change() throws {
        switch Int.random(in: 0..<100, using: &walk.random) {
        case 0..<9:
            if graph.living.count > 11 { delete() } else { create(walk.random.pick(WildKind.allCases)) }
        case 9..<22: changeValue()
        default:
            let relation = Int.random(in: WildRelation.all.indices, using: &walk.random)
            let description = WildRelation.all[relation]
            guard let owner = pick(description.owner) else { return }
            if !description.isToMany {
                let isEmptied = walk.random.chance(description.isRequired ? 8 : 25)
                set(relation, of: owner, to: isEmptied ? nil : pick(description.destination))
            } else if description.isOrdered {
                try changeList(relation, of: owner)
            } else {
                changeMembers(relation, of: owner)
            }
        }
    }

    private mutating func changeValue() {
        guard let number = pick(walk.random.pick([.item, .item, .box, .seal])) else { return }
        let value = Int.random(in: 0..<20, using: &walk.random)
        if walk.random.chance(50) {
            walk.trace.append("value of \(number) = \(value)")
            objects[number]?["value"] = value
            graph.nodes[number]?.value = value
        } else {
            let note = value < 4 ? nil : "\(value)"
            walk.trace.append("note of \(number) = \(note ?? "nil")")
            objects[number]?["note"] = note
            graph.nodes[number]?.note = note
        }
    }

    mutating func set(_ relation: Int, of owner: Int, to member: Int?) {
        let name = WildRelation.all[relation].name
        walk.trace.append("\(name) of \(owner) = \(member.map(String.init) ?? "nil")")
        walk.count(member == nil ? "unrelate" : "relate")
        objects[owner]?[name] = member.flatMap { objects[$0] }
        if let member {
            graph.add(member, to: relation, of: owner)
        } else {
            for former in graph[owner, relation] { graph.remove(former, from: relation, of: owner) }
        }
    }

    private mutating func changeMembers(_ relation: Int, of owner: Int) {
        let description = WildRelation.all[relation]
        guard let object = objects[owner], let number = pick(description.destination),
            let member = objects[number]
        else { return }
        let members = object.members(forKey: description.name)
        switch Int.random(in: 0..<10, using: &walk.random) {
        case 0:
            var wanted = (0..<2).compactMap { _ in pick(description.destination) }
            if wanted.count == 2, wanted[0] == wanted[1] { wanted.removeLast() }
            walk.trace.append("\(description.name) of \(owner) = \(wanted)")
            members.replace(with: wanted.compactMap { objects[$0] })
            // What the pending deletions take is not known here, and not a member for the setter either.
            graph.replace(wanted, in: relation, of: owner)
        case 1..<7:
            walk.trace.append("insert \(number) in \(description.name) of \(owner)")
            walk.count("relate")
            members.insert(member)
            graph.add(number, to: relation, of: owner)
        default:
            walk.trace.append("remove \(number) from \(description.name) of \(owner)")
            walk.count("unrelate")
            members.remove(member)
            graph.remove(number, from: relation, of: owner)
        }
    }

    private mutating func changeList(_ relation: Int, of owner: Int) throws {
        let description = WildRelation.all[relation]
        guard let object = objects[owner], let number = pick(description.destination),
            let member = objects[number]
        else { return }
        let list = object.orderedMembers(forKey: description.name)
        let present = graph[owner, relation].filter(graph.isLiving)
        let found = list.filter { !$0.isDeleted }.map { numbers[ObjectIdentifier($0)] ?? -1 }
        if doomed.isEmpty, found != present {
            throw WildFailure("\(description.name) of \(owner): \(found), not \(present)")
        }
        // Places count what only the save will take, too.
        let isPlain = list.count == present.count && doomed.isEmpty
        switch Int.random(in: 0..<6, using: &walk.random) {
        case 0, 1:
            walk.trace.append("append \(number) to \(description.name) of \(owner)")
            list.append(member)
            graph.add(number, to: relation, of: owner)
        case 2:
            guard isPlain else { return }
            let place = Int.random(in: 0...present.count, using: &walk.random)
            walk.trace.append("insert \(number) in \(description.name) of \(owner) at \(place)")
            list.insert(member, at: place)
            guard !present.contains(number) else { return }
            graph.add(number, to: relation, of: owner)
            graph.move(number, in: relation, of: owner, to: place)
        case 3:
            walk.trace.append("remove \(number) from \(description.name) of \(owner)")
            list.remove(member)
            graph.remove(number, from: relation, of: owner)
        case 4:
            guard let moved = present.randomElement(using: &walk.random), let member = objects[moved],
                isPlain
            else { return }
            let place = Int.random(in: present.indices, using: &walk.random)
            walk.trace.append("move \(moved) in \(description.name) of \(owner) to \(place)")
            list.move(member, to: place)
            graph.move(moved, in: relation, of: owner, to: place)
        default:
            let wanted = (0..<Int.random(in: 0...3, using: &walk.random)).compactMap { _ in
                pick(description.destination)
            }
            let distinct = wanted.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
            walk.trace.append("\(description.name) of \(owner) = \(distinct)")
            list.replace(with: wanted.compactMap { objects[$0] })
            graph.replace(distinct, in: relation, of: owner)
        }
    }
}
