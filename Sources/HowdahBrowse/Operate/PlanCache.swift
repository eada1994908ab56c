import Foundation

/// The last plan of a site, because inferring one through many versions takes seconds.
actor PlanCache {
    /// The time for which a plan is shown again. Lost values depend on the rows, so it is short.
    private static let lifetime: TimeInterval = 300

    private struct Entry {
        let state: [String?]
        let time: Date
        let plan: Task<TargetPlan, Never>
    }

    private var entry: Entry?

    /// Returns the plan for a state of the store, and the time at which it was made.
    ///
    /// Requests at the same time wait for one plan. A plan that failed is not kept.
    ///
    /// - Parameters:
    ///   - state: Everything that changes when the store is migrated.
    ///   - again: Indicates whether a new plan is made in any case.
    func plan(
        _ planning: BrowsePlanning, for state: [String?], again: Bool
    ) async -> (plan: TargetPlan, time: Date) {
        if !again, let entry, entry.state == state, -entry.time.timeIntervalSinceNow < Self.lifetime {
            return (await entry.plan.value, entry.time)
        }
        let made = Entry(state: state, time: Date(), plan: Task { await TargetPlan(planning) })
        entry = made
        let plan = await made.plan.value
        if plan.isFailed, entry?.plan == made.plan { entry = nil }
        return (plan, made.time)
    }
}
