import Foundation
import HowdahModel

/// The changes of a store that may concern one result, since it was evaluated last.
struct ResultChanges: Sendable {
    /// The number of objects beyond which only the fact is kept that there are too many.
    static let capacity = 5_000
    /// The number of relationships on a path beyond which the whole result is fetched again.
    private static let longestPath = 4

    /// The changes of one object of the requested entity.
    struct Own: Sendable {
        /// Indicates whether the object may have entered, left or moved.
        var decides = false
        /// The changed properties; nil if they are unknown.
        var properties: Set<String>? = []
    }

    /// The changes of the objects at the end of one route.
    struct Reached: Sendable {
        var objects: Set<ObjectReference> = []
        /// Indicates whether a row changes for those who see it, even if it stays.
        var isShown = false
    }

    private(set) var own: [ObjectID<ManagedObject>: Own] = [:]
    private(set) var reached: [Int: Reached] = [:]
    /// Indicates whether the whole result must be fetched again.
    private(set) var needsWhole = false
    /// Indicates whether any object may have changed, so that all that is shown must be read again.
    private(set) var isEverything = false
    private var count = 0

    var isEmpty: Bool { own.isEmpty && reached.isEmpty && !needsWhole && !isEverything }

    mutating func addEverything() {
        self = ResultChanges()
        isEverything = true
    }

    /// Adds the changes that concern the dependencies.
    mutating func add(
        _ rows: ChangedRows, _ dependencies: FetchDependencies, storeIdentifier: UUID,
        where isCandidate: (Int64) -> Bool = { _ in true }
    ) {
        guard !isEverything else { return }
        for (place, route) in dependencies.routes.enumerated() where route.entities.contains(rows.entity) {
            if route.path.isEmpty {
                addOwn(rows, route, storeIdentifier, isCandidate)
            } else {
                addReached(rows, route, place)
            }
        }
        if count > Self.capacity { addEverything() }
    }

    private mutating func addOwn(
        _ rows: ChangedRows, _ route: FetchDependencies.Route, _ storeIdentifier: UUID,
        _ isCandidate: (Int64) -> Bool
    ) {
        if rows.kind == .update, rows.properties?.isEmpty == true { return }
        let decides =
            rows.kind != .update
            || !route.uses(of: rows.properties).isDisjoint(with: [.membership, .order])
        for key in rows.keys where isCandidate(key) {
            let id = ObjectID<ManagedObject>(
                storeIdentifier: storeIdentifier, entityName: rows.storedEntity, key: key)
            var change = own[id] ?? Own()
            change.decides = change.decides || decides
            if rows.kind == .update {
                change.properties = change.properties.flatMap { known in
                    rows.properties.map { known.union($0) }
                }
            }
            if own.updateValue(change, forKey: id) == nil { count += 1 }
        }
    }

    private mutating func addReached(_ rows: ChangedRows, _ route: FetchDependencies.Route, _ place: Int) {
        let uses = rows.kind == .update ? route.uses(of: rows.properties) : route.uses
        guard !uses.isEmpty || rows.kind != .update else { return }
        // The objects that referred to a deleted row cannot be found by it.
        guard rows.kind != .delete, !route.isNested, route.path.count <= Self.longestPath else {
            needsWhole = true
            return
        }
        var known = reached[place] ?? Reached()
        let former = known.objects.count
        for key in rows.keys { known.objects.insert(ObjectReference(key: key, entity: rows.storedEntity)) }
        known.isShown = known.isShown || !uses.isDisjoint(with: [.order, .values])
        reached[place] = known
        count += known.objects.count - former
    }
}
