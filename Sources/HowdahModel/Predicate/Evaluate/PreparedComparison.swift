internal import Foundation

/// One comparison with its options, prepared once for all objects.
struct PreparedComparison {
    private let op: PredicateTree.Operator
    private let options: PredicateTree.Options
    private let rightOptions: PredicateTree.Options
    private let modifier: PredicateTree.Modifier
    /// The sides that do not depend on the object, folded.
    private let left: Values?
    private let right: Values?
    private let pattern: PredicatePattern?
    /// The members of a constant collection of one type, if a look-up gives the same result as comparisons.
    private let members: Set<Value>?

    /// The values of an operand on one object.
    enum Values {
        case one(Value)
        /// The missing value: an object on the way is missing, before any to-many relationship.
        case missing
        case many([Value])
        /// The elements of an array attribute, or nil if it is nil.
        case array([Value]?)
    }

    /// Prepares a comparison. If a side depends on the object, it is nil.
    init(
        _ left: Values?, _ op: PredicateTree.Operator, _ right: Values?, _ options: PredicateTree.Options,
        _ modifier: PredicateTree.Modifier
    ) throws(PredicateTreeError) {
        self.op = op
        self.options = options
        self.modifier = modifier
        // A folded pattern would turn \D into \d; the pattern folds its own literals.
        rightOptions = op == .matches ? [] : options
        self.left = left?.folded(options)
        self.right = right?.folded(rightOptions)
        if op == .matches, case .one(.string(let text)) = right {
            pattern = try PredicatePattern(text, options)
        } else {
            pattern = nil
        }
        if op == .in, case .many(let values) = self.right, values.count > 8,
            let kind = values[0].lookupKind, values.allSatisfy({ $0.lookupKind == kind })
        {
            members = Set(values.map(\.lookupKey))
        } else {
            members = nil
        }
    }

    /// Returns true if the comparison holds for the values of the sides that depend on the object.
    func holds(_ left: Values?, _ right: Values?) throws(PredicateTreeError) -> Bool {
        let left = self.left ?? left?.folded(options) ?? .missing
        var right = self.right ?? right?.folded(rightOptions) ?? .missing
        if case .missing = right { right = .one(.null) }
        switch (left, modifier) {
        case (.array(let elements), .direct): return try holds(elements, right)
        case (.array(let elements), _): return try quantified(elements ?? [], right)
        case (.one(let left), .direct): return try holds(left, right)
        case (.many(let left), .direct):
            guard op == .contains, case .one(let member) = right else { throw Self.needsQuantifier }
            return left.contains { Self.isMember(member, of: $0) }
        case (.missing, .direct): return try holds(.null, right)
        // Where there is no object there are no members.
        case (.missing, _): return try quantified([], right)
        case (.one(let left), _): return try quantified([left], right)
        case (.many(let left), _): return try quantified(left, right)
        }
    }

    private func quantified(_ left: [Value], _ right: Values) throws(PredicateTreeError) -> Bool {
        let awaited = modifier != .all
        for member in left where try holdsThroughout(member, right) == awaited { return modifier == .any }
        return modifier != .any
    }

    /// Compares one member of a to-many relationship.
    ///
    /// If the member is an array, its elements are compared, except with CONTAINS.
    private func holdsThroughout(_ member: Value, _ right: Values) throws(PredicateTreeError) -> Bool {
        guard let elements = member.elements else { return try holds(member, right) }
        if op == .contains { return try holds(elements, right) }
        for element in elements where try holds(element, right) != (modifier == .all) {
            return modifier != .all
        }
        return modifier == .all
    }

    /// Compares an array as a whole, or one element of it.
    private func holds(_ left: [Value]?, _ right: Values) throws(PredicateTreeError) -> Bool {
        switch (op, right) {
        case (.contains, .one(let member)):
            return left?.contains { Self.equal($0, member) } ?? false
        case (.equal, .one(let value)), (.notEqual, .one(let value)):
            guard value.isNull || value.elements != nil else { throw Self.needsQuantifier }
            return Self.equal(left.map(Value.array) ?? .null, value) == (op == .equal)
        case (.equal, .array(let other)), (.notEqual, .array(let other)):
            return Self.equal(left.map(Value.array) ?? .null, other.map(Value.array) ?? .null)
                == (op == .equal)
        default: throw Self.needsQuantifier
        }
    }

    private func holds(_ left: Value, _ right: Values) throws(PredicateTreeError) -> Bool {
        switch (op, right) {
        case (.in, .many(let values)):
            if let members, left.lookupKind == values[0].lookupKind {
                return members.contains(left.lookupKey)
            }
            return values.contains { Self.isMember(left, of: $0) }
        case (.between, .many(let bounds)) where bounds.count == 2:
            guard try compare(left, .greaterThanOrEqual, bounds[0]) else { return false }
            return try compare(left, .lessThanOrEqual, bounds[1])
        case (.in, .array(let elements)): return elements?.contains { Self.equal(left, $0) } ?? false
        case (.in, .missing): return false
        case (.in, .one(let whole)): return try compare(whole, .contains, left)
        case (_, .one(let value)): return try compare(left, op, value)
        case (_, .missing): return try compare(left, op, .null)
        case (_, .many), (_, .array): throw Self.needsQuantifier
        }
    }

    private func compare(
        _ a: Value, _ op: PredicateTree.Operator, _ b: Value
    ) throws(PredicateTreeError) -> Bool {
        switch op {
        case .equal: return Self.equal(a, b)
        case .notEqual: return !Self.equal(a, b)
        case .lessThan: return a.order(relativeTo: b) == .less
        case .lessThanOrEqual: return a.order(relativeTo: b).map { $0 != .greater } ?? false
        case .greaterThan: return a.order(relativeTo: b) == .greater
        case .greaterThanOrEqual: return a.order(relativeTo: b).map { $0 != .less } ?? false
        case .contains, .beginsWith, .endsWith, .like, .matches, .in, .between: break
        }
        if op == .contains, let members = a.members { return members.contains { Self.equal($0, b) } }
        guard let text = a.text, let operand = b.text else { return false }
        switch op {
        case .beginsWith: return text.utf8.starts(with: operand.utf8)
        case .endsWith: return text.utf8.reversed().starts(with: operand.utf8.reversed())
        case .contains, .in: return text.containsBytes(of: operand)
        case .like: return text.isLike(operand)
        case .matches:
            if let pattern { return pattern.matches(text) }
            return try PredicatePattern(operand, options).matches(text)
        default: return false
        }
    }

    /// Returns true if a value is a member of a to-many relationship, or an element of a member's array.
    private static func isMember(_ value: Value, of member: Value) -> Bool {
        member.elements?.contains { equal($0, value) } ?? equal(member, value)
    }

    /// Compares for equality: nil equals only nil. Values whose types do not compare are not equal.
    static func equal(_ a: Value, _ b: Value) -> Bool {
        a.isNull && b.isNull || a.order(relativeTo: b) == .equal
    }

    private static var needsQuantifier: PredicateTreeError {
        PredicateTreeError(
            .invalidOperand,
            "A to-many key path or an array cannot be compared directly. Add ANY, ALL or NONE before the key "
                + "path or array, or use it to the right of IN or to the left of CONTAINS."
        )
    }
}

extension PreparedComparison.Values {
    fileprivate func folded(_ options: PredicateTree.Options) -> Self {
        guard !options.folding.isEmpty else { return self }
        return switch self {
        case .one(let value): .one(value.folded(options))
        case .missing: self
        case .many(let values): .many(values.map { $0.folded(options) })
        case .array(let elements): .array(elements?.map { $0.folded(options) })
        }
    }
}

extension Value {
    fileprivate var elements: [Value]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an array in JSON.
    fileprivate var members: [Value]? {
        if case .composite(let whole) = self, whole.count == 1 { whole[0].elements } else { nil }
    }

    fileprivate var text: String? {
        switch self {
        case .string(let string): string
        case .uri(let url): url.absoluteString
        default: nil
        }
    }

    /// A number of the type, if values of the type are equal exactly when their lookup keys are.
    fileprivate var lookupKind: Int? {
        switch self {
        case .int: 1
        case .string: 2
        case .uuid: 3
        case .reference: 4
        default: nil
        }
    }

    fileprivate var lookupKey: Value {
        switch self {
        case .reference(let reference): .int(reference.key)
        // A folded text need not be in NFC, and Swift's equality would take it for one that is.
        case .string(let text): .data(Data(text.utf8))
        default: self
        }
    }
}
