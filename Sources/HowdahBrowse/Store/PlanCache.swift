import Foundation

/// The last plan of a site, because inferring one through many versions takes seconds.
actor PlanCache {
    /// The time for which a plan is shown again. Lost values depend on the rows, so it is short.
    private static let lifetime: TimeInterval = 300

    private struct Entry {
        let state: [String?]
        let time: Date
        let plan: Task<any Sendable, Never>
    }

    private var entry: Entry?

    /// Returns the value for a state of the store, and the time at which it was made.
    ///
    /// Requests at the same time wait for one value. One that is not to be kept is made again.
    func value<Value: Sendable>(
        for state: [String?], again: Bool, isKept: @Sendable (Value) -> Bool,
        make: @escaping @Sendable () async -> Value
    ) async -> (value: Value, time: Date) {
        if !again, let entry, entry.state == state, -entry.time.timeIntervalSinceNow < Self.lifetime,
            let value = await entry.plan.value as? Value
        {
            return (value, entry.time)
        }
        let task = Task { await make() }
        let made = Entry(state: state, time: Date(), plan: Task { await task.value })
        entry = made
        let value = await task.value
        if !isKept(value), entry?.plan == made.plan { entry = nil }
        return (value, made.time)
    }
}
