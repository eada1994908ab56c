import HowdahModel

/// The columns of a request for objects that reads only some of their properties.
///
/// The key and the version are always read. The same holds for properties on paths to prefetch, and for those
/// without a column of the row.
struct PartialFetch<Object: ManagedObject> {
    let request: FetchRequest<Object>
    let layout: EntityLayout
    let layouts: [EntityLayout]

    /// Returns the content of the rows; nil for all columns.
    ///
    /// - Throws: `FetchError.invalidRequest` for a column that is not a property of the objects themselves.
    func row() throws -> PartialRow? {
        guard request.propertiesToGroupBy.isEmpty, request.havingPredicate == nil else {
            throw FetchError(
                .invalidRequest,
                "Objects cannot be grouped. Fetch dictionaries, or remove propertiesToGroupBy and havingPredicate."
            )
        }
        guard !request.propertiesToFetch.isEmpty else { return nil }
        let names = try Set(request.propertiesToFetch.compactMap(name)).union(
            request.relationshipKeyPathsForPrefetching.map { String($0.prefix { $0 != "." }) })
        var slots: [Int: Set<Int>] = [:]
        var isWhole = true
        for entity in layout.family {
            let all = layouts[entity].slots
            let held = all.indices.filter { names.contains(all[$0].name) || all[$0].columns.isEmpty }
            slots[entity] = Set(held)
            isWhole = isWhole && held.count == all.count
        }
        return isWhole ? nil : PartialRow(slots)
    }

    /// Returns the property of a column, or nil for the id, which each object has.
    private func name(_ column: ResultColumn<Object>) throws -> String? {
        if let complaint = column.complaint { throw FetchError(.invalidRequest, complaint) }
        if let aggregate = column.aggregate {
            throw FetchError(
                .invalidRequest,
                "Objects cannot hold the \(aggregate.rawValue) '\(column.name)'. Fetch dictionaries for it."
            )
        }
        if column.keyPath == ResultColumn<Object>.objectIDKey { return nil }
        let path = column.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if let name = path.first, let slot = layout.slotsByName[name], layout.slots[slot].isInMemory {
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) is transient and not stored. Remove it from propertiesToFetch.")
        }
        // Says what is wrong with the key path, with the nearest name.
        let scope = try SQLScope(layout: layout, layouts: layouts, counter: SQLScope.AliasCounter())
        _ = try KeyPathResolver(layouts: layouts).resolve(path[...], in: scope)
        guard let name = path.first, let slot = layout.slotsByName[name] else {
            throw FetchError(
                .invalidRequest, "'\(column.keyPath)' is not a property of \(layout.name). Correct the name.")
        }
        switch layout.slots[slot].kind {
        case .attribute: return name
        case .toOne where path.count == 1: return name
        case .toOne:
            throw FetchError(
                .invalidRequest,
                "'\(column.keyPath)' belongs to another object, and a fetch of objects reads only properties "
                    + "of \(layout.name). Fetch '\(name)' and prefetch it, or fetch dictionaries."
            )
        case .toMany:
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name)\(path.count > 1 ? ", in '\(column.keyPath)'," : "") is to-many and has no "
                    + "column in the row. Add it to relationshipKeyPathsForPrefetching."
            )
        }
    }
}

extension EntityLayout.Slot {
    /// A Boolean value that indicates whether the property is in no table.
    fileprivate var isInMemory: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isTransient
        case .toOne(let relationship), .toMany(let relationship): relationship.isTransient
        }
    }
}

extension ManagedObjectContext {
    /// Returns the columns of a fetch of objects with their values.
    ///
    /// - Throws: The errors of ``PartialFetch/row()``.
    func filledSelection<Object: ManagedObject>(
        for request: FetchRequest<Object>, of layout: EntityLayout
    ) throws -> SelectList {
        let part = try PartialFetch(request: request, layout: layout, layouts: layouts).row()
        guard let part else { return store.layouts.selection(of: layout) }
        return SelectList(layout, in: layouts, only: part)
    }
}
