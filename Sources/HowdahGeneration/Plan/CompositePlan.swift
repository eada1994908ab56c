internal import HowdahModel

/// The struct of one composite type; attributes whose types are the same in everything share one.
struct CompositePlan {
    let description: CompositeDescription
    /// The identifier in code, without backticks.
    let name: String
    let members: [MemberPlan]
}
