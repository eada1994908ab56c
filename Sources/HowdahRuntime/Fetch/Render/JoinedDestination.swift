import HowdahModel
import PQClient

/// A prefetched to-one relationship whose destination a fetch of one row reads in its own statement.
///
/// For more rows, destinations are read by a statement of their own, each once. The server often plans a query with a
/// condition and an order again each time, and with joins this takes longer than another statement.
struct JoinedDestination {
    /// The maximum number of relationships that are joined.
    private static let limit = 4
    /// The maximum number of columns, of which the server has 1,664 with those of sort keys.
    private static let columnLimit = 1_500

    let slot: Int
    let layout: EntityLayout
    let selection: SelectList
    /// The first of its columns in a row.
    let firstColumn: Int
    /// The columns for the text after SELECT.
    let columns: String

    /// Returns the relationships that a request prefetches and a join should read.
    ///
    /// A locked row may be newer than the moment at which a join reads its destination. Destinations that the context
    /// knows need not be read. So a join reads only what the context knows nothing of, as at the beginning of a unit.
    static func slots<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ layout: EntityLayout, in context: ManagedObjectContext
    ) -> [Int] {
        let paths = request.relationshipKeyPathsForPrefetching
        guard !paths.isEmpty, request.fetchLimit == 1, request.rowLock == nil,
            request.propertiesToFetch.isEmpty,
            request.includesPropertyValues, request.fetchBatchSize == 0
        else { return [] }
        let layouts = context.store.layouts
        var (slots, columns): ([Int], Int) = ([], layouts.selection(of: layout).count)
        for path in paths where slots.count < limit {
            guard let slot = layout.slotsByName[path], !slots.contains(slot),
                let relationship = layout.slots[slot].relationship, !relationship.isToMany,
                case .foreignKey = relationship.storage
            else { continue }
            let destination = layouts.entities[relationship.destination]
            let more = layouts.selection(of: destination).count
            // A hierarchy's table has rows of other entities, which a wrong key may name.
            guard destination.discriminator == nil || destination.index == destination.root,
                columns + more <= columnLimit,
                !context.registry.hasObjects(ofRoot: destination.root)
            else { continue }
            columns += more
            slots.append(slot)
        }
        return slots
    }

    /// Joins relationships to a fetch, as long as it may have more joins.
    static func all(
        _ slots: [Int], in fetch: RenderedFetch, _ selection: SelectList, _ layouts: StoreLayout
    ) throws -> [JoinedDestination] {
        var firstColumn = selection.count
        return try slots.compactMap { slot in
            guard fetch.scope.joins.count < SQLScope.joinLimit else { return nil }
            let relationship = fetch.layout.relationship(slot)
            let layout = layouts.entities[relationship.destination]
            let (selection, scope) = (layouts.selection(of: layout), try fetch.scope.join(relationship))
            defer { firstColumn += selection.count }
            return JoinedDestination(
                slot: slot, layout: layout, selection: selection, firstColumn: firstColumn,
                columns: selection.text(alias: scope.alias))
        }
    }
}
