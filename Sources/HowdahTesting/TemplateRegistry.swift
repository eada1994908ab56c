/// Creates each template once, for any number of concurrent tests.
actor TemplateRegistry {
    private var making: [String: Task<String, any Error>] = [:]

    func name(for key: String, make: @escaping @Sendable () async throws -> String) async throws -> String {
        if let task = making[key] { return try await task.value }
        let task = Task.detached { try await make() }
        making[key] = task
        do {
            return try await task.value
        } catch {
            // The next test that asks tries again.
            if making[key] == task { making[key] = nil }
            throw error
        }
    }
}
