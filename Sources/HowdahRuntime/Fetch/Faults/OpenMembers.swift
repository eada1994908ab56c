/// Members with their FROM items and conditions, for one sub-query.
struct OpenMembers {
    /// The tables of members, each with the join table to it.
    var scopes: [(scope: SQLScope, join: String)] = []
    /// The other FROM items.
    var items: [String] = []
    var conditions: [String] = []
    /// The value of each member.
    var value: ResolvedOperand
    /// The scope whose rows the members are, if they are objects.
    var objects: SQLScope?
    /// The order of the members.
    var place: String?

    /// Returns FROM and WHERE with everything joined so far.
    func clause(_ further: [String] = []) -> String {
        let from = scopes.map { $0.scope.item + $0.join } + items
        let conditions = conditions + further
        return " FROM \(from.joined(separator: ", "))"
            + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    }

    /// Returns the condition that a member satisfies `condition`.
    func exists(_ condition: String? = nil) -> String {
        let text = "EXISTS (SELECT 1\(clause(condition.map { [$0] } ?? [])))"
        // The planner makes joins of all EXISTS that AND connects, and takes for ever over many, unless asked like this.
        return scopes.contains { $0.scope.isLate } ? "(\(text)) IS TRUE" : text
    }

    mutating func add(_ other: OpenMembers) {
        scopes += other.scopes
        items += other.items
        conditions += other.conditions
        value = other.value
        objects = other.objects
        place = nil
    }
}
