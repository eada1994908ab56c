import HowdahModel

/// The effect of a context's unsaved changes on one fetch.
///
/// There are rows that the store cannot decide about, and objects that decide instead. The store decides
/// about a row if no object on the request's key paths changed. By induction along a path, stored and present
/// state differ first at an object that changed itself, or whose relationship on that path did. So it is
/// enough to leave out the rows that, as stored, reach such an object.
struct PendingFetch {
    /// The changed objects of the requested family, without deleted ones.
    let candidates: [ManagedObject]
    /// The condition for the rows of those and of deleted objects.
    let changed: PredicateTree.Node?
    /// The condition for rows whose stored key paths reach changes of other objects.
    ///
    /// If only counting the members of members would show it, it is true for all rows.
    let reaching: PredicateTree.Node?

    /// Creates the effect; nil if no unsaved change can make a difference.
    ///
    /// - Parameters:
    ///   - names: Properties of the objects that decide too, in addition to those that the request reads.
    ///   - others: Objects of the family that the store cannot decide about, for any change.
    init?<Object>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in context: ManagedObjectContext,
        readBy names: Set<String> = [], also others: [ManagedObject] = []
    ) {
        guard request.includesPendingChanges, request.rowLock == nil, request.search == nil,
            context.hasUnsavedObjects
        else {
            return nil
        }
        let steps = PathSteps(request, of: layout, layouts: context.layouts)
        let changes = UnsavedObjects(context, withDestinations: steps.crossesRelationships)
        let entities = request.includesSubentities ? Set(layout.family) : [layout.index]
        var reaching: [PredicateTree.Node] = []
        for step in steps.beyondSelf {
            let family = Set(context.layouts[step.entity].family)
            let keys = changes.objects(of: family, readBy: step.names).compactMap(\.storedKey)
            if keys.isEmpty { continue }
            reaching.append(
                step.isNested
                    ? .constant(true)
                    : .comparison(
                        lhs: .keyPath(step.path), op: .in,
                        rhs: Self.references(keys, context.layouts[step.entity]),
                        modifier: step.crossesToMany ? .any : .direct))
        }
        // Places among members change without any of their properties.
        if let predicate = request.predicate, predicate.readsPositions { reaching.append(.constant(true)) }
        var own = changes.objects(of: entities, readBy: steps.ownNames.union(names))
        if !others.isEmpty {
            var isKnown = Set(own.map(ObjectIdentifier.init))
            own += others.filter { isKnown.insert(ObjectIdentifier($0)).inserted }
        }
        if own.isEmpty, reaching.isEmpty { return nil }
        candidates = own.filter { !$0._flags.contains(.deleted) }
        let keys = own.compactMap(\.storedKey)
        changed =
            keys.isEmpty
            ? nil : .comparison(lhs: .evaluatedObject, op: .in, rhs: Self.references(keys, layout))
        self.reaching = reaching.isEmpty ? nil : .any(reaching)
    }

    /// Returns the request for the rows that the store can decide about.
    func stored<Object>(_ request: FetchRequest<Object>) -> FetchRequest<Object> {
        var request = request
        let excluded = PredicateTree.Node.any([changed, reaching].compactMap(\.self))
        request.predicate = PredicateTree(.all([request.predicate?.root ?? .constant(true), .not(excluded)]))
        // What is merged in may come first, so that the offset is taken afterwards.
        if request.fetchLimit > 0 {
            let (end, overflow) = request.fetchLimit.addingReportingOverflow(request.fetchOffset)
            request.fetchLimit = overflow ? .max : end
        }
        request.fetchOffset = 0
        return request
    }

    /// Returns the request for the unchanged objects to check in memory; nil if there are none.
    func looked<Object>(_ request: FetchRequest<Object>) -> FetchRequest<Object>? {
        guard let reaching else { return nil }
        var looked = FetchRequest<Object>(entityName: request.entityName)
        looked.includesSubentities = request.includesSubentities
        looked.predicate = PredicateTree(.all([reaching] + (changed.map { [.not($0)] } ?? [])))
        return looked
    }

    /// Returns the request for all rows that memory decides about; nil if there are none.
    func undecided<Object>(_ request: FetchRequest<Object>) -> FetchRequest<Object>? {
        guard changed != nil || reaching != nil else { return nil }
        var undecided = FetchRequest<Object>(entityName: request.entityName)
        undecided.includesSubentities = request.includesSubentities
        undecided.predicate = PredicateTree(.any([changed, reaching].compactMap(\.self)))
        return undecided
    }

    private static func references(_ keys: [Int64], _ layout: EntityLayout) -> PredicateTree.Expression {
        .collection(keys.map { .reference(ObjectReference(key: $0, entity: layout.storedName)) })
    }
}

extension FetchRequest {
    /// Applies offset and limit to the whole result.
    func cut<Element>(_ objects: [Element]) -> ArraySlice<Element> {
        let rest = objects.dropFirst(fetchOffset)
        return fetchLimit > 0 ? rest.prefix(fetchLimit) : rest
    }

    /// Returns the number of objects within offset and limit.
    func cut(count: Int) -> Int {
        let rest = max(0, count - fetchOffset)
        return fetchLimit > 0 ? min(rest, fetchLimit) : rest
    }
}

extension ManagedObject {
    /// The key of the object in the backing; nil if the backing is not known to have it.
    fileprivate final var storedKey: Int64? {
        if _flags.contains(.inserted) { return managedObjectContext?.registry.arrivingKey(of: self) }
        // What a parent has not saved yet is as good as stored for its child.
        return key >= 0 || managedObjectContext?.backing.keysAreFinal == false ? key : nil
    }
}
