extension PredicateTree {
    /// One side of a comparison, or a part of one.
    ///
    /// Later versions may add cases: end a switch with `@unknown default`.
    ///
    /// Source: Foundation's `NSExpression`.
    public indirect enum Operand: Hashable, Sendable {
        /// The names from the object to a property, joined by dots, such as `department.name` or
        /// `employees.@count`.
        case keyPath(String)
        /// A literal or an argument.
        case constant(Value)
        /// Several values in braces, as IN and BETWEEN require.
        case aggregate([Operand])
        /// The object itself, `SELF`.
        case evaluatedObject
        /// The name of a variable, without its dollar sign: the member in a subquery, or a variable that
        /// needs a value.
        case variable(String)
        /// A function by its name in formats, such as `add:to:` or `lowercase:`.
        case function(String, [Operand])
        /// A value converted to another type, by its name in formats: `NSNumber`, `NSDecimalNumber`, `NSDate`
        /// or `NSString`.
        case cast(Operand, type: String)
        /// TERNARY: the first operand if the condition is true, otherwise the second.
        case conditional(PredicateTree, Operand, Operand)
        /// The key path from another operand, such as `$item.price`.
        case member(of: Operand, keyPath: String)
        /// The members of a collection that satisfy a condition, in which the variable stands for the member.
        case subquery(Operand, variable: String, PredicateTree)
        /// One member of an array or of an ordered relationship.
        case element(of: Operand, Position)
        /// A set operation on the members of two collections.
        case set(SetOperator, Operand, Operand)
        /// A method by its selector, which only the expressions of mapping models have; a predicate cannot
        /// use it.
        case call(Operand, selector: String, [Operand])
    }
}

extension PredicateTree.Operand: CustomStringConvertible {
    /// The operand in the syntax of a format, with the values of constants.
    public var description: String {
        do {
            return try PredicateTree.Expression(self).description
        } catch {
            return "<\(error)>"
        }
    }
}

extension PredicateTree.Operand {
    /// The nested levels of operands and conditions.
    ///
    /// It iterates with a list, because operands that are composed by hand may be too deep for recursion.
    var levels: Int {
        var deepest = 0
        var open = [(self, 0)]
        while let (operand, depth) = open.popLast() {
            let inner: [Self]
            switch operand {
            case .keyPath, .constant, .evaluatedObject, .variable: inner = []
            case .aggregate(let members), .function(_, let members): inner = members
            case .cast(let operand, _), .member(let operand, _), .element(let operand, _): inner = [operand]
            case .conditional(let test, let a, let b):
                deepest = max(deepest, depth + 1 + test.depth)
                inner = [a, b]
            case .subquery(let members, _, let condition):
                deepest = max(deepest, depth + 1 + condition.depth)
                inner = [members]
            case .set(_, let a, let b): inner = [a, b]
            case .call(let target, _, let operands): inner = [target] + operands
            }
            deepest = max(deepest, depth)
            for operand in inner { open.append((operand, depth + 1)) }
        }
        return deepest
    }

    package init(_ expression: PredicateTree.Expression) {
        switch expression {
        case .keyPath(let keys): self = .keyPath(keys.joined(separator: "."))
        case .constant(let value): self = .constant(value)
        case .collection(let values): self = .aggregate(values.map { .constant($0) })
        case .evaluatedObject: self = .evaluatedObject
        case .variable(let name): self = .variable(name)
        case .aggregate(let members): self = .aggregate(members.map { Self($0) })
        case .function(let function, let operands):
            self = .function(function.rawValue, operands.map { Self($0) })
        case .cast(let operand, let type): self = .cast(Self(operand), type: type.rawValue)
        case .conditional(let test, let a, let b): self = .conditional(PredicateTree(test), Self(a), Self(b))
        case .path(let base, let keys):
            self = .member(of: Self(base), keyPath: keys.joined(separator: "."))
        case .subquery(let members, let variable, let condition):
            self = .subquery(Self(members), variable: variable, PredicateTree(condition))
        case .element(let base, let position): self = .element(of: Self(base), position)
        case .set(let op, let a, let b): self = .set(op, Self(a), Self(b))
        case .call(let target, let selector, let operands):
            self = .call(Self(target), selector: selector, operands.map { Self($0) })
        }
    }
}
