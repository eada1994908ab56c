import HowdahModel
import HowdahRuntime

/// Encodes the objects that key paths reach.
///
/// First it loads everything step by step and gives each object its place. Then it writes from the outside
/// in. Each object is written in full once, at its outermost place, with all properties that any of its
/// places requests; elsewhere it is a reference.
struct GraphEncoder {
    private let context: ManagedObjectContext
    private let references: GraphReferences
    private let roots: [ManagedObject]
    private var plans: [ObjectIdentifier: ObjectPlan] = [:]
    private var numbers: [String: Int] = [:]
    /// The members to write in addition to the properties.
    private var contents = GraphContents.entity

    /// The written parts of one object.
    private struct ObjectPlan {
        let object: ManagedObject
        /// The place at which it is written in full; nil for the outermost level.
        let home: Home?
        var attributes: Set<Int> = []
        /// A Boolean value that indicates whether a key path names its properties, or continues from it.
        var isAsked = false
        /// The destinations of its relationships, in their order.
        var links: [Int: [ManagedObject]] = [:]
        /// The number of other places that refer to it.
        var references = 0
        var id: String?
    }

    private struct Home: Hashable {
        let owner: ObjectIdentifier
        let slot: Int
    }

    private struct Step {
        let tree: GraphTree
        let objects: [ManagedObject]
    }

    /// Loads everything. The key paths alone determine the number of statements, for up to 10,000 objects a
    /// step.
    init(
        _ context: ManagedObjectContext, _ roots: [ManagedObject], _ tree: GraphTree
    ) throws {
        self.context = context
        references = GraphReferences(context)
        self.roots = roots
        try references.load(roots)
        for root in roots { plans[ObjectIdentifier(root)] = ObjectPlan(object: root, home: nil) }
        var waiting = [Step(tree: tree, objects: roots)]
        while !waiting.isEmpty {
            var next: [Step] = []
            for step in waiting { next += try walk(step) }
            waiting = next
        }
        try nameObjects()
    }

    // MARK: Loading

    private mutating func walk(_ step: Step) throws -> [Step] {
        for object in step.objects { request(step.tree, of: object) }
        var next: [Step] = []
        for (name, child) in step.tree.children.sorted(by: { $0.key < $1.key }) {
            for (_, owners) in Dictionary(grouping: step.objects, by: \.layout.index).sorted(by: {
                $0.key < $1.key
            }) {
                let layout = owners[0].layout
                guard let slot = layout.slotsByName[name] else { continue }
                try load(owners, layout.relationship(slot))
            }
            var found: [ManagedObject] = []
            var seen: Set<ObjectIdentifier> = []
            var links: [(owner: ManagedObject, slot: Int, members: [ManagedObject])] = []
            for owner in step.objects {
                guard let slot = owner.layout.slotsByName[name] else { continue }
                links.append((owner, slot, members(of: owner, slot)))
            }
            try references.load(links.flatMap(\.members))
            try context.throwFailure()
            for (owner, slot, members) in links {
                let isOrdered = owner.layout.relationship(slot).isOrdered
                let sorted = isOrdered ? members : references.sorted(members)
                note(sorted, of: owner, slot)
                for member in sorted where seen.insert(ObjectIdentifier(member)).inserted {
                    found.append(member)
                }
            }
            next.append(Step(tree: child, objects: found))
        }
        return next
    }

    private mutating func request(_ tree: GraphTree, of object: ManagedObject) {
        let layout = object.layout
        let key = Set(references.keys[layout]?.slots ?? [])
        var slots: Set<Int> = []
        for (slot, property) in layout.slots.enumerated() {
            guard case .attribute(let attribute) = property.kind else { continue }
            let isStored = !property.columns.isEmpty
            if key.contains(slot) || tree.attributes.contains(property.name)
                || tree.hasAll && isStored && !attribute.isDerived
            {
                slots.insert(slot)
            }
        }
        plans[ObjectIdentifier(object)]?.attributes.formUnion(slots)
        if !tree.isEmpty { plans[ObjectIdentifier(object)]?.isAsked = true }
    }

    private func load(_ owners: [ManagedObject], _ relationship: RelationshipLayout) throws {
        for start in stride(from: 0, to: owners.count, by: 10_000) {
            let part = Array(owners[start..<min(start + 10_000, owners.count)])
            if relationship.isToMany {
                try context.loadMembers(of: part, relationship)
            } else {
                let stored = part.filter { !$0._flags.contains(.inserted) }
                try context.loadDestinations(of: stored, relationship)
            }
        }
    }

    private func members(of owner: ManagedObject, _ slot: Int) -> [ManagedObject] {
        owner.layout.relationship(slot).isToMany
            ? owner.membersOf(slot) : [owner.destination(slot)].compactMap { $0 }
    }

    private mutating func note(_ members: [ManagedObject], of owner: ManagedObject, _ slot: Int) {
        let home = Home(owner: ObjectIdentifier(owner), slot: slot)
        guard plans[home.owner]?.links.updateValue(members, forKey: slot) == nil else { return }
        for member in members {
            if plans[ObjectIdentifier(member)] == nil {
                plans[ObjectIdentifier(member)] = ObjectPlan(object: member, home: home)
                request(GraphTree(), of: member)
            } else {
                plans[ObjectIdentifier(member)]?.references += 1
            }
        }
    }

    /// Names each object that references need and that has no natural key.
    private mutating func nameObjects() throws {
        var seen: Set<ObjectIdentifier> = []
        var queue = roots
        var position = 0
        while position < queue.count {
            let object = queue[position]
            position += 1
            let identity = ObjectIdentifier(object)
            guard seen.insert(identity).inserted, let plan = plans[identity] else { continue }
            for slot in plan.links.keys.sorted() { queue += plan.links[slot] ?? [] }
            guard references.keys[object.layout] == nil else { continue }
            if plan.references > 0 {
                let number = numbers[object.layout.name, default: 0] + 1
                numbers[object.layout.name] = number
                plans[identity]?.id = "\(object.layout.name)/\(number)"
            }
            if plan.home != nil, plan.attributes.isEmpty, plan.links.isEmpty {
                throw GraphError(
                    .invalidKeyPath,
                    "The object has no natural key, so the document cannot contain only a reference to it. Add key "
                        + "paths of its properties, for example '*', or 'author.*' in a relationship author.",
                    entity: object.layout)
            }
        }
    }

    // MARK: Writing

    /// Returns the identity and version of each object, and the members of its relationships, in a fixed order.
    ///
    /// It is nil if the context or a parent has unsaved changes.
    func versionedParts() -> String? {
        var next: ManagedObjectContext? = context
        while let present = next {
            if present.hasChanges { return nil }
            next = present.parent
        }
        var parts: [String] = []
        for plan in plans.values {
            let object = plan.object
            let id: (ManagedObject) -> String = { $0.objectID.pathComponent }
            var part = "\(id(object)) \(object.version?.description ?? "-")"
            for (slot, members) in plan.links.sorted(by: { $0.key < $1.key }) {
                let isOrdered = object.layout.relationship(slot).isOrdered
                let ids = isOrdered ? members.map(id) : members.map(id).sorted()
                part += " \(slot) \(ids.joined(separator: ","))"
            }
            parts.append(part)
        }
        return parts.sorted().joined(separator: "\n")
    }

    /// Returns an array with one outermost object on each line.
    ///
    /// - Parameter known: The entity of the class that the reader knows; nil if it knows none.
    func document(_ contents: GraphContents, of known: EntityLayout?) throws -> [UInt8] {
        var bytes = Array("[".utf8)
        var encoder = self
        encoder.contents = contents
        try encoder.forEachLine(contents.contains(.entity) ? nil : known) { line in
            bytes += bytes.count == 1 ? "\n".utf8 : ",\n".utf8
            bytes += line
        }
        return bytes + (bytes.count == 1 ? "]\n" : "\n]\n").utf8
    }

    /// Passes each outermost object to `body`, without an end of line.
    ///
    /// - Parameter known: The entity that outermost objects do not name; nil if all of them name theirs.
    func forEachLine(_ known: EntityLayout? = nil, _ body: ([UInt8]) throws -> Void) throws {
        var written: Set<ObjectIdentifier> = []
        for root in roots {
            var writer = GraphJSONWriter()
            if written.insert(ObjectIdentifier(root)).inserted {
                try write(root, in: known, &writer)
                try body(writer.take())
            }
        }
    }

    private func write(
        _ object: ManagedObject, in destination: EntityLayout?, _ writer: inout GraphJSONWriter
    ) throws {
        guard let plan = plans[ObjectIdentifier(object)] else { return }
        let layout = object.layout
        let key = Set(references.keys[layout]?.slots ?? [])
        let slots = plan.attributes.union(plan.links.keys).union(key).sorted {
            layout.slots[$0].name.utf8.lexicographicallyPrecedes(layout.slots[$1].name.utf8)
        }
        try writer.object { writer in
            if layout !== destination {
                writer.name("@entity")
                writer.string(layout.name)
            }
            if let id = plan.id {
                writer.name("@id")
                writer.string(id)
            }
            if contents.contains(.objectID), !object.objectID.isTemporaryID {
                writer.name("@objectID")
                writer.string(object.objectID.pathComponent)
            }
            if contents.contains(.version), let version = object.version {
                writer.name("@version")
                writer.string(version.description)
            }
            for slot in slots {
                writer.name(layout.slots[slot].name)
                switch layout.slots[slot].kind {
                case .attribute(let attribute):
                    try writer.value(object._value(at: slot), of: attribute.description)
                case .toOne(let relationship):
                    if plan.links[slot] == nil, let member = object.destination(slot) {
                        // Asked for by the key alone.
                        let destination = context.layouts[relationship.destination]
                        try references.write(member, as: nil, to: destination, &writer)
                    } else if let member = plan.links[slot]?.first {
                        try write(member, from: object, slot, &writer)
                    } else {
                        writer.word("null")
                    }
                case .toMany:
                    try writer.array { writer in
                        for member in plan.links[slot] ?? [] {
                            try write(member, from: object, slot, &writer)
                        }
                    }
                }
            }
        }
    }

    private func write(
        _ member: ManagedObject, from owner: ManagedObject, _ slot: Int, _ writer: inout GraphJSONWriter
    ) throws {
        guard let plan = plans[ObjectIdentifier(member)] else { return }
        let destination = context.layouts[owner.layout.relationship(slot).destination]
        let isHome = plan.home == Home(owner: ObjectIdentifier(owner), slot: slot)
        let hasKey = references.keys[member.layout] != nil
        if isHome, plan.isAsked || !hasKey {
            try write(member, in: destination, &writer)
        } else {
            try references.write(member, as: hasKey ? nil : plan.id, to: destination, &writer)
        }
    }
}
