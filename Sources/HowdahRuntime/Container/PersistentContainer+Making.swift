package import HowdahModel
internal import PQClient
import Synchronization

extension PersistentContainer {
    /// Creates the store of a model if there is none.
    ///
    /// - Returns: True if this call created it.
    /// - Throws: `StoreError` as ``open(_:model:options:)``.
    package static func makeStore(
        _ url: String, model: ManagedObjectModel, options: StoreOptions
    ) async throws -> Bool {
        let isMade = Mutex(false)
        var opening = try StoreOpening(url, model: model, options: options)
        opening.storeMade = { isMade.withLock { $0 = true } }
        _ = try await opening.run()
        await opening.pool.close(drainingFor: .zero)
        opening.workers.shutdown()
        return isMade.withLock { $0 }
    }
}
