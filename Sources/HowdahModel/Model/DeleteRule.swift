/// The effect on the destinations of a relationship if its owner is deleted.
///
/// Saves follow the rule. Foreign keys and triggers enforce rules for other programs.
///
/// Source: Core Data's `NSDeleteRule`.
public struct DeleteRule: RawRepresentable, Hashable, Sendable, Codable {
    /// The rule's name in the spelling of model files.
    public let rawValue: String

    private init(_ name: String) { rawValue = name }

    /// Creates the rule of that name; nil if there is none.
    public init?(rawValue: String) {
        guard Self.all.contains(where: { $0.rawValue == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    /// The destinations stay and no longer refer to the owner.
    public static let nullify = DeleteRule("nullify")
    /// The destinations are deleted too.
    public static let cascade = DeleteRule("cascade")
    /// The owner cannot be deleted while it has destinations.
    public static let deny = DeleteRule("deny")
    /// No effect and no check; you must repair the graph.
    public static let noAction = DeleteRule("noAction")

    private static let all = [nullify, cascade, deny, noAction]
    /// The names of all rules.
    package static let names = all.map(\.rawValue)
}
