import HowdahModel

/// Unsaved changes: the store answers for unconcerned members, memory for the others, as in ``PendingFetch``.
extension MemberFetch {
    /// Returns the members of each owner after a save of the unsaved changes.
    func merged(_ owners: [ManagedObject]) throws -> [[ManagedObject]] {
        var found: [[ManagedObject]] = Array(repeating: [], count: owners.count)
        var (listed, others): ([Int], [Int]) = ([], [])
        for place in owners.indices where !owners[place]._flags.contains(.deleted) {
            if isListed, isEdited(owners[place]) { listed.append(place) } else { others.append(place) }
        }
        if !listed.isEmpty {
            let lists = try lists(of: listed.map { owners[$0] })
            for (place, members) in zip(listed, lists) { found[place] = members }
        }
        if !others.isEmpty {
            let members = try mergedMembers(of: others.map { owners[$0] })
            for (place, members) in zip(others, members) { found[place] = members }
        }
        return found
    }

    private func isEdited(_ owner: ManagedObject) -> Bool {
        guard let slot = owner.layout.slotsByName[relationship.name] else { return false }
        return owner._flags.contains(.inserted) || owner._toManyState(at: slot)?.isEdited == true
    }

    /// Returns whole lists, because only these have the positions of added and removed members.
    private func lists(of owners: [ManagedObject]) throws -> [[ManagedObject]] {
        try context.loadMembers(of: owners, relationship)
        let evaluator = try request.predicate.map(PredicateEvaluator.init)
        // Names are looked up for lists without members too.
        _ = try RenderedFetch(request, layout: layout, layouts: context.layouts)
        return try owners.map { owner in
            let members = try owner.membersOf(relationship.slot).filter {
                try !$0._flags.contains(.deleted) && isAsked($0) && evaluator?.evaluate($0) ?? true
            }
            return Array(request.cut(members))
        }
    }

    private func mergedMembers(of owners: [ManagedObject]) throws -> [[ManagedObject]] {
        var names: Set<String> = []
        if case .inverse = relationship.storage, let inverse = relationship.inverse {
            names.insert(context.layouts[relationship.destination].slots[inverse].name)
        }
        let links = links(of: owners)
        let pending = PendingFetch(
            request, of: layout, in: context, readBy: names, also: links.map(\.member).filter(isAsked))
        guard let pending else { return try stored(request, of: owners).map { $0.map(\.member) } }
        let stored = try stored(pending.stored(request), of: owners)
        let remembered = try matching(undecided(pending, links, of: owners))
        try context.throwFailure()
        if remembered.contains(where: { !$0.isEmpty }) {
            try MemoryOrder.check(request.sortDescriptors)
        }
        let order = MemoryOrder(request.sortDescriptors)
        return zip(stored, remembered).map { stored, remembered in
            if isListed {
                let all = (stored + remembered).sorted {
                    ($0.number ?? .min, $0.member.key) < ($1.number ?? .min, $1.member.key)
                }
                return Array(request.cut(all.map(\.member)))
            }
            return Array(request.cut(order.merge(remembered.map(\.member), into: stored.map(\.member))))
        }
    }

    /// Returns the present members of each owner that the store cannot decide about, matching or not.
    private func undecided(
        _ pending: PendingFetch, _ links: [(place: Int, member: ManagedObject, isInsertion: Bool)],
        of owners: [ManagedObject]
    ) throws -> [[Found]] {
        if !isListed, case .inverse = relationship.storage, let inverse = relationship.inverse {
            // Changed objects know their owner; only unchanged ones have to be found.
            var found: [[Found]] = Array(repeating: [], count: owners.count)
            if let looked = pending.looked(request) { found = try stored(looked, of: owners, fills: true) }
            let places = Dictionary(
                owners.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
            for member in pending.candidates {
                let field = member._toOneField(at: inverse)
                guard field.object != nil || field.entity >= 0,
                    let place = places[field.key]
                else { continue }
                found[place].append(Found(member: member, number: nil))
            }
            return found
        }
        var found: [[Found]] = Array(repeating: [], count: owners.count)
        if let undecided = pending.undecided(request) {
            found = try stored(undecided, of: owners, fills: true)
        }
        for link in links {
            found[link.place].removeAll { $0.member === link.member }
            if link.isInsertion, isAsked(link.member) {
                found[link.place].append(Found(member: link.member, number: nil))
            }
        }
        return found
    }

    private func matching(_ found: [[Found]]) throws -> [[Found]] {
        let evaluator = try request.predicate.map(PredicateEvaluator.init)
        var known: [ObjectIdentifier: Bool] = [:]
        return try found.map { found in
            try found.filter { found in
                if found.member._flags.contains(.deleted) { return false }
                guard let evaluator else { return true }
                let identifier = ObjectIdentifier(found.member)
                if let holds = known[identifier] { return holds }
                let holds = try evaluator.evaluate(found.member)
                known[identifier] = holds
                return holds
            }
        }
    }

    /// Returns the pairs that the next save adds or removes.
    private func links(
        of owners: [ManagedObject]
    ) -> [(place: Int, member: ManagedObject, isInsertion: Bool)] {
        guard case .join = relationship.storage, !context.links.isEmpty else { return [] }
        let places = Dictionary(
            owners.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
        var found: [(place: Int, member: ManagedObject, isInsertion: Bool)] = []
        for link in context.links.all {
            if link.slot == relationship.slot, let place = places[ObjectIdentifier(link.owner)] {
                found.append((place, link.member, link.isInsertion))
            } else if link.inverse == relationship.slot, !relationship.isSelfInverse,
                let place = places[ObjectIdentifier(link.member)]
            {
                found.append((place, link.owner, link.isInsertion))
            }
        }
        return found
    }

    private func isAsked(_ member: ManagedObject) -> Bool {
        request.includesSubentities
            ? layout.family.contains(member.layout.index) : member.layout === layout
    }
}
