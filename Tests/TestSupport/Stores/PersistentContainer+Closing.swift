package import HowdahRuntime

extension PersistentContainer {
    /// Runs `body` with the container, and closes it when `body` has returned or thrown.
    nonisolated(nonsending)
        package func closing<T>(after body: (PersistentContainer) async throws -> T) async throws -> T
    {
        do {
            let result = try await body(self)
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }
}
