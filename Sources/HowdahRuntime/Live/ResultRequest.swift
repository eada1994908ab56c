import HowdahModel

/// A request whose result is followed: checked, without its class, and with its dependencies.
struct ResultRequest: Sendable {
    let fetch: FetchRequest<ManagedObject>
    let key: ResultKey
    let order: MemoryOrder
    var dependencies: FetchDependencies
    /// Decides about rows in memory; nil if only the server can.
    let decider: ResultDecider?
    /// The names on the key path of the sections; nil for no sections.
    let sections: [String]?
    /// Indicates whether only the server has the order, so that each change is a whole fetch.
    let isOrderedByServer: Bool
    /// Indicates whether sort values are of other rows, which a second statement reads.
    let sortsByOtherRows: Bool

    /// The maximum number of objects; 0 for no limit.
    var limit: Int { fetch.fetchLimit }
    /// The number of rows beyond the limit that are kept, to replace rows that leave.
    var bench: Int { min(limit, 50) }

    /// Checks a request.
    ///
    /// - Parameter values: The key paths of values that are shown with the objects.
    /// - Throws: `FetchError.invalidRequest` for a request that cannot be followed; the error of the predicate.
    init<Object>(
        _ request: FetchRequest<Object>, of layout: EntityLayout, in layouts: StoreLayout,
        sectionedBy sections: String?, values: [String] = [], principal: String? = nil
    ) throws {
        try Self.check(request)
        var fetch = FetchRequest<ManagedObject>(entityName: layout.name)
        fetch.predicate = request.predicate
        for key in request.sortDescriptors {
            if let complaint = key.complaint { throw FetchError(.invalidRequest, complaint) }
            fetch.sortDescriptors.append(
                SortKey(keyPath: key.keyPath, ascending: key.isAscending, locale: key.locale))
        }
        fetch.fetchLimit = request.fetchLimit
        fetch.includesSubentities = request.includesSubentities
        fetch.relationshipKeyPathsForPrefetching = request.relationshipKeyPathsForPrefetching
        fetch.tag = request.tag
        if let sections {
            try Self.check(sections, of: layout, in: layouts)
            try Self.check(sections, isFirst: fetch.sortDescriptors.first?.keyPath)
        }
        var dependencies = FetchDependencies(
            entity: layout.name, includesSubentities: request.includesSubentities, in: layouts.model)
        if let predicate = request.predicate { dependencies.add(predicate) }
        let paths = fetch.sortDescriptors.map { Self.names($0.keyPath) }
        for path in paths { dependencies.add(path, for: .order) }
        for path in fetch.relationshipKeyPathsForPrefetching {
            dependencies.add(Self.names(path), for: .values)
        }
        for path in values { dependencies.add(Self.names(path), for: .values) }
        self.dependencies = dependencies
        decider = ResultDecider(fetch, of: layout, dependencies)
        self.sections = sections.map(Self.names)
        key = ResultKey(
            fetch, entity: layout.name, sections: sections, values: Set(values), principal: principal)
        order = MemoryOrder(fetch.sortDescriptors)
        isOrderedByServer = fetch.sortDescriptors.contains { $0.locale != nil }
        let relationships = paths.map { path in
            path.dropLast().prefix { name in
                layout.slotsByName[name].map { layout.slots[$0].relationship != nil } ?? true
            }
        }
        sortsByOtherRows = relationships.contains { !$0.isEmpty }
        // What the order needs, and nothing else: the rest is read by those who are told.
        let known = paths.compactMap(\.first).filter { layout.slotsByName[$0] != nil }
        fetch.propertiesToFetch = known.map { ResultColumn($0, as: $0) }
        fetch.includesPropertyValues = !known.isEmpty
        fetch.relationshipKeyPathsForPrefetching = relationships.filter { !$0.isEmpty }.map {
            $0.joined(separator: ".")
        }
        self.fetch = fetch
    }

    private static func names(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }

    /// Refuses requests whose results cannot be followed.
    private static func check<Object>(_ request: FetchRequest<Object>) throws {
        if let error = request.predicate?.error { throw error }
        func refusal(_ message: String) -> FetchError { FetchError(.invalidRequest, message) }
        if request.fetchOffset > 0 {
            throw refusal(
                "A followed result has no fetchOffset. Set fetchOffset to 0, and fetch later pages with fetchPage(_:after:)."
            )
        }
        if request.rowLock != nil {
            throw refusal(
                "A followed result cannot lock rows. Remove the rowLock, and lock the objects in a transaction of their own."
            )
        }
        if request.search != nil {
            throw refusal(
                "A followed result cannot have a TextSearch, whose ranks depend on all rows. Use a predicate with CONTAINS, "
                    + "or fetch again.")
        }
        if request.resultType != .objects || !request.propertiesToGroupBy.isEmpty
            || request.havingPredicate != nil || request.returnsDistinctResults
        {
            throw refusal(
                "A followed result has objects, not dictionaries, groups or counts. Remove resultType, propertiesToGroupBy, "
                    + "havingPredicate and returnsDistinctResults.")
        }
        if let variable = request.predicate?.variables.sorted().first {
            throw refusal(
                "The predicate has the variable $\(variable) without a value. Substitute it before you follow the result."
            )
        }
        if request.predicate?.readsTime == true {
            throw refusal(
                "The predicate has now(), so its result changes without a change of a row. Pass a date, and begin again "
                    + "when another date is due.")
        }
    }

    private static func check(_ sections: String, isFirst first: String?) throws {
        guard first == sections else {
            throw FetchError(
                .invalidRequest,
                "The sections are by '\(sections)', and the first sort key is \(first.map { "'\($0)'" } ?? "missing"). Sort by "
                    + "'\(sections)' first.")
        }
    }

    /// Checks that a key path names sections.
    static func check(_ sections: String, of layout: EntityLayout, in layouts: StoreLayout) throws {
        guard !sections.isEmpty else {
            throw FetchError(
                .invalidRequest,
                "The key path of the sections is empty. Name an attribute, or pass nil for one section.")
        }
        try checkAttribute(sections, of: layout, in: layouts)
        // A key path by which rows cannot be sorted has no names for sections, either.
        var request = FetchRequest<ManagedObject>(entityName: layout.name)
        request.sortDescriptors = [SortKey(keyPath: sections)]
        _ = try RenderedFetch(request, layout: layout, layouts: layouts.entities)
    }

    /// Checks the property at the end of a key path, if all of its names are known.
    private static func checkAttribute(
        _ sections: String, of layout: EntityLayout, in layouts: StoreLayout
    ) throws {
        var entity = layout.name
        var path = names(sections)[...]
        while let name = path.popFirst() {
            guard let property = layouts.model.property(named: name, of: entity) else { return }
            guard let relationship = property.relationship else {
                guard path.isEmpty, property.attribute?.namesSections == false else { return }
                throw refusal(of: sections)
            }
            entity = relationship.destination
        }
        throw FetchError(
            .invalidRequest,
            "'\(sections)' is a relationship and does not name sections. Name an attribute of its destination."
        )
    }

    /// Returns the error for a property whose values name no sections.
    static func refusal(of sections: String) -> FetchError {
        FetchError(
            .invalidRequest,
            "'\(sections)' does not name sections. Name an attribute of numbers, texts, dates, UUIDs, URIs or Booleans."
        )
    }
}
