import HowdahModel
import PQClient

/// A prefetched to-one relationship whose destination a fetch of one row reads in its own statement.
///
/// For more rows, destinations are read by a statement of their own, each once. The server often plans a query with a
/// condition and an order again each time, and with joins this takes longer than another statement.
struct JoinedDestination {
    /// The maximum number of relationships that are joined.
    private static let limit = 4

    let slot: Int
    let layout: EntityLayout
    let selection: SelectList
    /// The first of its columns in a row.
    let firstColumn: Int
    /// The columns for the text after SELECT.
    let columns: String

    /// Joins what a request prefetches and a join can read.
    static func all<Object: ManagedObject>(
        of request: FetchRequest<Object>, in fetch: RenderedFetch, _ selection: SelectList,
        _ layouts: StoreLayout
    ) throws -> [JoinedDestination] {
        let paths = request.relationshipKeyPathsForPrefetching
        guard !paths.isEmpty, request.fetchLimit == 1, selection.part == nil else { return [] }
        var joined: [JoinedDestination] = []
        var firstColumn = selection.count
        for path in paths where joined.count < limit {
            guard let slot = fetch.layout.slotsByName[path],
                let relationship = fetch.layout.slots[slot].relationship, !relationship.isToMany,
                case .foreignKey = relationship.storage, !joined.contains(where: { $0.slot == slot })
            else { continue }
            let layout = layouts.entities[relationship.destination]
            // A hierarchy's table has rows of other entities, which a wrong key may name.
            guard layout.discriminator == nil || layout.index == layout.root else { continue }
            let (selection, scope) = (layouts.selection(of: layout), try fetch.scope.join(relationship))
            joined.append(
                JoinedDestination(
                    slot: slot, layout: layout, selection: selection, firstColumn: firstColumn,
                    columns: selection.text(alias: scope.alias)))
            firstColumn += selection.count
        }
        return joined
    }
}
