import HowdahModel

/// A request resolved in the model: its entity, the entities of its rows, its condition and its order; no SQL
/// yet.
///
/// Key paths stay unresolved, because resolving one joins tables, which is part of writing them.
struct ResolvedFetch {
    let layout: EntityLayout
    let layouts: [EntityLayout]
    /// The stored names of the requested entities; nil for the whole table.
    let family: [String]?
    let predicate: PredicateTree?
    let search: TextSearch?
    /// The sort keys; nil if the order does not matter.
    let order: [OrderKey]?

    /// One sort key, by the names on its path.
    struct OrderKey {
        let keyPath: String
        let path: [String]
        let isAscending: Bool
        /// The collation of the locale that the key names; nil for the order of Unicode scalars.
        let collation: LocaleCollation?

        /// - Throws: `FetchError.invalidRequest` for a key without a property.
        init<Object>(_ key: SortKey<Object>) throws {
            if let complaint = key.complaint { throw FetchError(.invalidRequest, complaint) }
            keyPath = key.keyPath
            path = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            isAscending = key.isAscending
            collation = key.locale.flatMap(LocaleCollation.init)
            if let locale = key.locale, collation == nil {
                throw FetchError(
                    .invalidRequest,
                    "The sort key '\(keyPath)' names '\(locale)', which \(LocaleCollation.complaint)")
            }
            if path == [""] { throw refusal }
        }

        /// The error for a property that has no order by a locale.
        var localeRefusal: FetchError {
            FetchError(
                .invalidRequest,
                "'\(keyPath)' is not a text and cannot be sorted by a locale. Remove the locale from the sort key."
            )
        }

        var refusal: FetchError {
            FetchError(
                .invalidRequest,
                "'\(keyPath)' cannot be a sort key. Name a property without a to-many relationship in its key path."
            )
        }
    }

    /// - Throws: `FetchError.invalidRequest` for a sort key without a property.
    init<Object>(
        _ request: FetchRequest<Object>, layout: EntityLayout, layouts: [EntityLayout], ordered: Bool = true
    ) throws {
        self.layout = layout
        self.layouts = layouts
        let isWholeTable =
            layout.discriminator == nil || layout.index == layout.root && request.includesSubentities
        family =
            isWholeTable
            ? nil : request.includesSubentities ? layout.concreteStoredNames : [layout.storedName]
        predicate = request.predicate
        search = request.search
        order = ordered ? try request.sortDescriptors.map { try OrderKey($0) } : nil
    }
}
