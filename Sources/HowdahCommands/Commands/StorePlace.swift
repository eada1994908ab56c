import ArgumentParser
import HowdahModelFile
import HowdahRuntime
import PQClient

/// Which store, and of which model.
struct StorePlace: ParsableArguments {
    @OptionGroup var model: ModelChoice
    @OptionGroup var address: StoreAddress

    /// What stores are opened with by commands.
    var options: StoreOptions {
        var options = StoreOptions.ofCommand(schemaName: address.schema)
        options.pooler = (try? StoreAddress.pooler) ?? .detected
        return options
    }

    /// Runs `body` with the open store, and closes it.
    nonisolated(nonsending)
        func withContainer<T>(_ body: (PersistentContainer) async throws -> T) async throws -> T
    {
        let contents = try model.contents()
        contents.tellWarnings()
        let url = try address.url
        let container = try await PersistentContainer.open(url, model: contents.model, options: options)
        do {
            let result = try await body(container)
            await container.close()
            return result
        } catch {
            await container.close()
            throw error
        }
    }
}
