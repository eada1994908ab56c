/// How stores of all earlier versions get to the present one.
///
/// Source: SwiftData's `SchemaMigrationPlan`.
public protocol SchemaMigrationPlan {
    /// The stages, in the order in which the versions came. Between the last version of a stage and the first of the next
    /// inference leads.
    static var stages: [MigrationStage] { get }
}
