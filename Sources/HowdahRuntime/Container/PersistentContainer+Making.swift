package import HowdahModel
internal import PQClient
import Synchronization

extension PersistentContainer {
    /// Makes the store of a model where there is none; whether it was this call that made it.
    ///
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
