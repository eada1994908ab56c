import Foundation
import HowdahModel
import Logging
import PQClient
import Testing

@testable import HowdahRuntime

/// A context whose store has no server: everything in memory works, anything else would fail to connect.
struct OfflineContext {
    let context: ManagedObjectContext

    init(_ model: ManagedObjectModel) throws {
        let schema = try StoreSchema(model)
        let identifier = UUID()
        let pool = ConnectionPool(
            configuration: try ConnectionConfiguration("host=/nowhere"), maximumConnections: 1)
        let layouts = try StoreLayout(model: model, schema: schema, storeIdentifier: identifier)
        var settings = StoreSettings(StoreOptions())
        settings.cohortRowLimit = 10
        context = ManagedObjectContext(
            store: Store(
                identifier: identifier, layouts: layouts,
                classes: try ObjectClasses(model, layouts.entities), pool: pool,
                workers: WorkerPool(maximumThreads: 1, name: "offline"),
                sizes: TableSizes(layouts.entities.map { _ in 0 }),
                settings: settings,
                log: StatementLog(logger: Logger(label: "offline"))))
    }

    /// An object as if it had been fetched.
    func stored<Object: ManagedObject>(
        _ type: Object.Type, _ key: Int64, version: Int64 = 1, _ values: (Object) -> Void = { _ in }
    ) throws -> Object {
        let layout = try #require(context.store.layout(of: type))
        let object = try #require(context.object(entity: layout.index, key: key) as? Object)
        object._flags.remove(.fault)
        object.version = version
        values(object)
        context.changes.removeUpdated(object)
        object.clearChanges()
        object._flags.remove(.listed)
        return object
    }

    /// The plan of what is pending, with rows deleted as told.
    func plan(deleting deleted: [ManagedObject] = []) throws -> SavePlan {
        try plan(settled(deleting: deleted))
    }

    /// What is pending, with rows deleted as told; no rule is followed.
    func settled(deleting deleted: [ManagedObject]) throws -> SettledChanges {
        let changes = try context.freezeChanges()
        var settled = SettledChanges(
            inserted: changes.inserted, updated: changes.updated, links: changes.links,
            lists: changes.lists, isLocked: changes.needsLocks(context.store.layouts, isNested: false))
        for object in deleted {
            settled.deletedRows[object.layout.root, default: [:]][object.key] = .init(
                entity: object.layout.index, object: object)
        }
        return settled
    }

    /// The plan of changes that are settled.
    func plan(_ settled: SettledChanges) throws -> SavePlan {
        let keys = NewKeys(settled.inserted, settled.inserted.indices.map { Int64(1_000 + $0) })
        let parkings = try UniqueParking(layouts: context.store.layouts).parkings(for: settled.updated)
        // Lists that are not loaded have no members here.
        let orders = try ListOrders(settled, layouts: context.layouts, tails: { _, _ in [:] })
        return SavePlan(settled, parkings: parkings, orders: orders, keys: keys, layouts: context.layouts)
    }
}
