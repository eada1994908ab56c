import HowdahModel

/// The least or the greatest of some values, in the order of the database.
enum Extreme {
    /// Returns the first of the least or greatest values; nil if there are none.
    static func of(_ members: [Any?], wanted: Value.Order) -> Any? {
        var best: (member: Any, value: Value)?
        for case let member? in members {
            guard let value = (member as? any AttributeValue)?._value, !value.isNull else { continue }
            if let best, value.order(relativeTo: best.value) != wanted { continue }
            best = (member, value)
        }
        return best?.member
    }
}
