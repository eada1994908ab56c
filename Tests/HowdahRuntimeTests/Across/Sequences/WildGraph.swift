import Howdah

/// Objects by number, values and links: what a context and its store should hold, kept without columns, statements or
/// faults.
struct WildGraph: Equatable, Sendable {
    struct Node: Equatable, Sendable {
        var kind: WildKind
        var value = 0
        var note: String?
        /// The numbers that each relationship leads to, by its place.
        var links: [Int: [Int]] = [:]
        /// Deleted, and the deletion not saved: what it leads to decides whether that will be denied.
        var isDead = false
    }

    enum Refusal { case denied, invalid }

    var nodes: [Int: Node] = [:]

    /// The numbers of what is there, in order.
    var living: [Int] { nodes.filter { !$0.value.isDead }.keys.sorted() }

    func living(_ kind: WildKind) -> [Int] { living.filter { nodes[$0]?.kind.isKind(of: kind) == true } }

    func isLiving(_ number: Int) -> Bool { nodes[number].map { !$0.isDead } ?? false }

    subscript(number: Int, relation: Int) -> [Int] { nodes[number]?.links[relation] ?? [] }

    // MARK: Links

    mutating func add(_ member: Int, to relation: Int, of owner: Int) {
        guard !self[owner, relation].contains(member) else { return }
        if !WildRelation.all[relation].isToMany {
            for former in self[owner, relation] { remove(former, from: relation, of: owner) }
        }
        if let inverse = WildRelation.all[relation].inverse, !WildRelation.all[inverse].isToMany {
            for former in self[member, inverse] { remove(former, from: inverse, of: member) }
        }
        nodes[owner]?.links[relation, default: []].append(member)
        guard let inverse = WildRelation.all[relation].inverse, !self[member, inverse].contains(owner) else {
            return
        }
        nodes[member]?.links[inverse, default: []].append(owner)
    }

    mutating func remove(_ member: Int, from relation: Int, of owner: Int) {
        nodes[owner]?.links[relation]?.removeAll { $0 == member }
        if let inverse = WildRelation.all[relation].inverse {
            nodes[member]?.links[inverse]?.removeAll { $0 == owner }
        }
    }

    mutating func replace(_ members: [Int], in relation: Int, of owner: Int) {
        for member in self[owner, relation] where !members.contains(member) {
            remove(member, from: relation, of: owner)
        }
        for member in members { add(member, to: relation, of: owner) }
        nodes[owner]?.links[relation] = members
    }

    mutating func move(_ member: Int, in relation: Int, of owner: Int, to place: Int) {
        nodes[owner]?.links[relation]?.removeAll { $0 == member }
        nodes[owner]?.links[relation]?.insert(member, at: place)
    }

    // MARK: Deletion

    /// Deletes an object and what cascades reach.
    mutating func delete(_ number: Int) {
        var wave = [number]
        while let number = wave.popLast() {
            guard let node = nodes[number], !node.isDead else { continue }
            nodes[number]?.isDead = true
            for (relation, members) in node.links {
                switch WildRelation.all[relation].rule {
                case .cascade: wave += members
                case .nullify: for member in members { remove(member, from: relation, of: number) }
                default: break
                }
            }
        }
        // One-way relationships lose what is gone.
        for (number, node) in nodes {
            for (relation, members) in node.links where WildRelation.all[relation].inverse == nil {
                let left = members.filter(isLiving)
                if left.count < members.count { nodes[number]?.links[relation] = left }
            }
        }
    }

    /// Why a save must refuse this; empty where it must not.
    var refusals: Set<Refusal> {
        var refusals: Set<Refusal> = []
        for node in nodes.values {
            if node.isDead {
                let isDenied = node.links.contains { relation, members in
                    WildRelation.all[relation].rule == .deny && members.contains(where: isLiving)
                }
                if isDenied { refusals.insert(.denied) }
                continue
            }
            for relation in node.kind.relations {
                let description = WildRelation.all[relation]
                let count = (node.links[relation] ?? []).count(where: isLiving)
                if description.isRequired && count == 0 { refusals.insert(.invalid) }
                if let limit = description.maxCount, count > limit { refusals.insert(.invalid) }
            }
        }
        return refusals
    }

    // MARK: Comparison

    /// Without what is deleted, and without order where there is none.
    var normalized: WildGraph {
        var graph = WildGraph()
        for (number, node) in nodes where !node.isDead {
            var node = node
            node.links = [:]
            for (relation, members) in nodes[number]?.links ?? [:] {
                let left = members.filter(isLiving)
                if left.isEmpty { continue }
                node.links[relation] = WildRelation.all[relation].isOrdered ? left : left.sorted()
            }
            graph.nodes[number] = node
        }
        return graph
    }

    /// Whether the living objects are the same, with the same values and links.
    func isSame(as other: WildGraph) -> Bool { normalized == other.normalized }

    /// Where one end of a relationship says something else than the other; nil where all agree.
    var asymmetry: String? {
        for number in living {
            for (relation, members) in nodes[number]?.links ?? [:] {
                guard let inverse = WildRelation.all[relation].inverse else { continue }
                for member in members where isLiving(member) && !self[member, inverse].contains(number) {
                    return "\(WildRelation.all[relation].name) of \(number) has \(member), not back"
                }
            }
        }
        return nil
    }

    /// What differs from what is expected; nil where nothing does. Both are normalized before.
    func difference(from expected: WildGraph) -> String? {
        let (found, expected) = (normalized, expected.normalized)
        if found == expected { return nil }
        let numbers = Set(found.nodes.keys).union(expected.nodes.keys).sorted()
        return numbers.compactMap { number -> String? in
            let (a, b) = (expected.nodes[number], found.nodes[number])
            if a == b { return nil }
            guard let a, let b else { return "\(number) is \(a == nil ? "there" : "missing")" }
            var parts: [String] = []
            if a.kind != b.kind { parts.append("is a \(b.kind), not a \(a.kind)") }
            if a.value != b.value { parts.append("value \(b.value), not \(a.value)") }
            if a.note != b.note { parts.append("note \(b.note ?? "nil"), not \(a.note ?? "nil")") }
            for relation in WildRelation.all.indices where a.links[relation] != b.links[relation] {
                parts.append(
                    "\(WildRelation.all[relation].name) \(b.links[relation] ?? []), not \(a.links[relation] ?? [])"
                )
            }
            return "\(number): \(parts.joined(separator: "; "))"
        }.joined(separator: "\n")
    }
}
