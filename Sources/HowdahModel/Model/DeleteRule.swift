/// What happens to the destinations of a relationship when its owner is deleted.
///
/// Source: Core Data's `NSDeleteRule`. Which of them the database enforces is listed at ``StoreSchema``.
public struct DeleteRule: RawRepresentable, Hashable, Sendable, Codable {
    /// The rule's name as model files write it.
    public let rawValue: String

    private init(_ name: String) { rawValue = name }

    /// Makes the rule of that name; nil when there is none.
    public init?(rawValue: String) {
        guard Self.all.contains(where: { $0.rawValue == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    /// The destinations stay and no longer point at the owner.
    public static let nullify = DeleteRule("nullify")
    /// The destinations are deleted too.
    public static let cascade = DeleteRule("cascade")
    /// The owner cannot be deleted while it has destinations.
    public static let deny = DeleteRule("deny")
    /// Nothing is done and nothing is checked; the caller has to repair the graph.
    public static let noAction = DeleteRule("noAction")

    private static let all = [nullify, cascade, deny, noAction]
    /// The names of all rules.
    package static let names = all.map(\.rawValue)
}
