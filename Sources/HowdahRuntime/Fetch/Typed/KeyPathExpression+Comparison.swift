public import HowdahModel

extension KeyPathExpression where Value: AttributeValue {
    /// Returns a condition that both are equal; nil equals nil.
    public static func == (left: Self, right: Value?) -> PredicateTree { left.compared(.equal, right) }

    /// Returns a condition that they differ; nil differs from every value.
    public static func != (left: Self, right: Value?) -> PredicateTree { left.compared(.notEqual, right) }

    /// Returns a condition that the left one is less; false for nil.
    public static func < (left: Self, right: Value) -> PredicateTree { left.compared(.lessThan, right) }

    /// Returns a condition that the left one is less or equal; false for nil.
    public static func <= (left: Self, right: Value) -> PredicateTree {
        left.compared(.lessThanOrEqual, right)
    }

    /// Returns a condition that the left one is greater; false for nil.
    public static func > (left: Self, right: Value) -> PredicateTree { left.compared(.greaterThan, right) }

    /// Returns a condition that the left one is greater or equal; false for nil.
    public static func >= (left: Self, right: Value) -> PredicateTree {
        left.compared(.greaterThanOrEqual, right)
    }

    /// Returns a condition that two key paths have equal values.
    public static func == (left: Self, right: Self) -> PredicateTree { left.compared(.equal, right) }

    /// Returns a condition that two key paths have different values.
    public static func != (left: Self, right: Self) -> PredicateTree { left.compared(.notEqual, right) }

    /// Returns a condition that the value of the left key path is less.
    public static func < (left: Self, right: Self) -> PredicateTree { left.compared(.lessThan, right) }

    /// Returns a condition that the value of the left key path is less or equal.
    public static func <= (left: Self, right: Self) -> PredicateTree {
        left.compared(.lessThanOrEqual, right)
    }

    /// Returns a condition that the value of the left key path is greater.
    public static func > (left: Self, right: Self) -> PredicateTree { left.compared(.greaterThan, right) }

    /// Returns a condition that the value of the left key path is greater or equal.
    public static func >= (left: Self, right: Self) -> PredicateTree {
        left.compared(.greaterThanOrEqual, right)
    }

    /// Returns a condition that the value is one of these.
    public func isIn(_ values: some Sequence<Value>) -> PredicateTree {
        compared(.in, values: values.map { $0 })
    }

    /// Returns a condition that the value is between two others, or is one of them; false for nil.
    public func isBetween(_ lowest: Value, and highest: Value) -> PredicateTree {
        compared(.between, values: [lowest, highest])
    }

    func compared(
        _ op: PredicateTree.Operator, _ right: Value?, _ options: PredicateTree.Options = []
    ) -> PredicateTree {
        guard let value = right.map({ HowdahModel.Value(predicateArgument: $0._value) }) ?? .null else {
            return .composite
        }
        return compared(op, .constant(value), options)
    }

    func compared(
        _ op: PredicateTree.Operator, values: [Value], _ options: PredicateTree.Options = []
    ) -> PredicateTree {
        let members = values.compactMap { HowdahModel.Value(predicateArgument: $0._value) }
        guard members.count == values.count else { return .composite }
        return compared(op, .collection(members), options)
    }

    private func compared(_ op: PredicateTree.Operator, _ right: Self) -> PredicateTree {
        if let error = right.path.error { return PredicateTree(failing: error) }
        guard right.modifier == .direct else {
            return PredicateTree(
                failing: PredicateTreeError(
                    .invalidOperand,
                    "\(right.modifier.rawValue.lowercased()) is on the right-hand side of a comparison. Exchange the "
                        + "two sides."))
        }
        return compared(op, right.operand)
    }
}

extension KeyPathExpression {
    /// Returns a condition that an array attribute has an element; a GIN index serves it.
    public func contains<Element: AttributeValue>(_ element: Element) -> PredicateTree
    where Value == [Element] {
        guard let value = HowdahModel.Value(predicateArgument: element._value) else { return .composite }
        return compared(.contains, .constant(value))
    }
}

extension KeyPathExpression where Value: ManagedObject {
    /// Returns a condition that this is the object of an id; with nil, that there is none.
    public static func == (left: Self, right: ObjectID<Value>?) -> PredicateTree {
        left.compared(.equal, .constant(right?.predicateValue ?? .null))
    }

    /// Returns a condition that this is another object than that of an id; with nil, that there is one.
    public static func != (left: Self, right: ObjectID<Value>?) -> PredicateTree {
        left.compared(.notEqual, .constant(right?.predicateValue ?? .null))
    }

    /// Returns a condition that this is the object of one of these ids; one parameter, for any number of
    /// them.
    public func isIn(_ ids: some Sequence<ObjectID<Value>>) -> PredicateTree {
        compared(.in, .collection(ids.map(\.predicateValue)))
    }
}

extension PredicateTree {
    fileprivate static var composite: PredicateTree {
        PredicateTree(
            failing: PredicateTreeError(
                .argumentType,
                "A composite cannot be compared as a whole. Compare its elements, for example person.address.city."
            ))
    }
}
