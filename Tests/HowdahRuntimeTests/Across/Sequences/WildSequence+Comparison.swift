import Howdah

@testable import HowdahRuntime

extension WildSequence {
    /// What the context holds, as its objects say it, normalized.
    ///
    /// - Throws: `WildFailure` where an object is found that stands for no number: two objects for one row.
    func present() throws -> WildGraph {
        var present = WildGraph()
        for (number, object) in objects where !object.isDeleted && object.managedObjectContext != nil {
            guard let kind = WildKind(rawValue: object.entityName) else { continue }
            var node = WildGraph.Node(kind: kind)
            node.value = Int(object["value"] as? Int64 ?? -1)
            node.note = object["note"] as? String
            for relation in kind.relations {
                let members = try members(of: object, relation)
                if members.isEmpty { continue }
                node.links[relation] = WildRelation.all[relation].isOrdered ? members : members.sorted()
            }
            present.nodes[number] = node
        }
        return present
    }

    private func members(of object: ManagedObject, _ relation: Int) throws -> [Int] {
        let description = WildRelation.all[relation]
        let found: [ManagedObject]
        if !description.isToMany {
            found = (object[description.name] as? ManagedObject).map { [$0] } ?? []
        } else if description.isOrdered {
            found = object.orderedMembers(forKey: description.name).objects
        } else {
            found = object.members(forKey: description.name).objects
        }
        return try found.filter { !$0.isDeleted }.map { member in
            guard let number = numbers[ObjectIdentifier(member)] else {
                throw WildFailure("another object for \(member.objectID) in \(description.name)")
            }
            return number
        }
    }

    /// Compares the context with what it should hold.
    func compare(_ when: String) throws {
        let present = try present()
        if let failure = context.failure { throw failure }
        if present != graph.normalized, let difference = present.difference(from: graph) {
            throw WildFailure("\(when): \(difference)")
        }
        for number in graph.living {
            guard let object = objects[number] else { throw WildFailure("\(number) was never there") }
            if context.registeredObject(for: object.objectID) !== object {
                throw WildFailure("\(when): \(number) is not what its id leads to")
            }
        }
    }

    /// Compares the pending links with those that differ from what is stored.
    ///
    /// Where nothing is to be undone, a link may be pending that is stored so: nobody looked.
    func compareLinks(_ when: String) throws {
        guard doomed.isEmpty else { return }
        var expected: Set<String> = []
        for relation in WildRelation.all.indices where WildRelation.all[relation].isLink {
            for number in graph.living {
                let (present, stored) = (graph[number, relation], walk.committed[number, relation])
                for member in present where graph.isLiving(member) && !stored.contains(member) {
                    expected.insert("+ \(WildRelation.all[relation].name) of \(number): \(member)")
                }
                for member in stored where graph.isLiving(member) && !present.contains(member) {
                    expected.insert("- \(WildRelation.all[relation].name) of \(number): \(member)")
                }
            }
        }
        var (found, certain): (Set<String>, Set<String>) = ([], [])
        for link in context.links.all {
            guard let owner = numbers[ObjectIdentifier(link.owner)],
                let member = numbers[ObjectIdentifier(link.member)], graph.isLiving(owner),
                graph.isLiving(member)
            else { continue }
            let sign = link.isInsertion ? "+" : "-"
            var lines = ["\(sign) \(link.owner.layout.slots[link.slot].name) of \(owner): \(member)"]
            if let inverse = link.inverse {
                lines.append("\(sign) \(link.member.layout.slots[inverse].name) of \(member): \(owner)")
            }
            found.formUnion(lines)
            if link.isCertain || mode == .undo { certain.formUnion(lines) }
        }
        guard certain.isSubset(of: expected), expected.isSubset(of: found) else {
            throw WildFailure(
                "\(when): links \(certain.subtracting(expected).sorted()) too many, "
                    + "\(expected.subtracting(found).sorted()) missing")
        }
    }

    /// Compares the rows with what they should be.
    func compareStore() throws {
        if let difference = try store.read(context).difference(from: walk.committed) {
            throw WildFailure("the store: \(difference)")
        }
    }
}
