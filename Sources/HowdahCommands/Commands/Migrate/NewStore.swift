import HowdahModel
import HowdahRuntime

/// A store that is made where there is none.
struct NewStore: Sendable {
    private let url: String
    private let model: ManagedObjectModel
    private let options: StoreOptions

    init(_ url: String, _ model: ManagedObjectModel, schemaName: String) {
        self.url = url
        self.model = model
        options = StoreOptions.ofCommand(schemaName: schemaName)
    }

    /// Makes it, or finds it made; whether this program made it.
    func make() async throws -> Bool {
        try await PersistentContainer.makeStore(url, model: model, options: options)
    }

    func open() async throws -> PersistentContainer {
        try await PersistentContainer.open(url, model: model, options: options)
    }
}
