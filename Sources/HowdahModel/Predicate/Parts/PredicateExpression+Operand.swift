extension PredicateTree.Expression {
    /// Creates an operand from a hand-made one, in the form that the parser would give it.
    ///
    /// - Throws: `invalidOperand`, `unsupported` or `tooLarge`; or the error of an invalid condition.
    package init(_ operand: PredicateTree.Operand) throws(PredicateTreeError) {
        guard operand.levels <= PredicateTree.Limit.depth else { throw .tooDeep() }
        try self.init(parts: operand)
    }

    private init(parts operand: PredicateTree.Operand) throws(PredicateTreeError) {
        switch operand {
        case .keyPath(let path): self = .keyPath(try Self.keys(path) { .keyPath($0) })
        case .constant(let value):
            if case .composite = value {
                throw PredicateTreeError(
                    .argumentType, "A composite was given as a constant. Compare its elements one by one.")
            }
            self = .constant(value.normalized)
        case .aggregate(let members):
            guard members.count <= PredicateTree.Limit.members else { throw .tooLarge() }
            let members = try Self.all(members)
            guard !members.contains(where: \.isCollection) else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "A collection was given as a member of another collection. Use only single values as "
                        + "members.")
            }
            let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            self = values.count == members.count ? .collection(values) : .aggregate(members)
        case .evaluatedObject: self = .evaluatedObject
        case .variable(let name): self = .variable(try Self.variable(named: name))
        case .function(let name, let operands):
            guard let function = PredicateTree.Function(name: name) else {
                throw PredicateTreeError(
                    .unsupported,
                    "Unknown function '\(name)' in a predicate. Use a function that "
                        + "docs/predicates.md lists.",
                    token: name)
            }
            guard operands.count == function.arity else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(function.rawValue) was given \(operands.count) operands. Pass \(function.arity).",
                    token: name)
            }
            self = .function(function, try Self.all(operands))
        case .cast(let operand, let type):
            guard let cast = PredicateTree.Cast(rawValue: type) else {
                throw PredicateTreeError(
                    .unsupported,
                    "A cast to '\(type)' is not supported. Use "
                        + "\(PredicateTree.Cast.allCases.map(\.rawValue).joined(separator: ", ")).",
                    token: type)
            }
            self = .casting(try Self(parts: operand), cast)
        case .conditional(let test, let a, let b):
            self = .conditional(try Self.condition(test), try Self(parts: a), try Self(parts: b))
        case .member(let base, let path):
            self = .joined(try Self(parts: base), try Self.keys(path) { .path(.variable("x"), $0) })
        case .subquery(let members, let variable, let condition):
            self = .subquery(
                try Self(parts: members), variable: try Self.variable(named: variable),
                try Self.condition(condition))
        case .element(let base, let position):
            if case .number(let number) = position, !PredicateTree.Limit.positions.contains(number) {
                throw PredicateTreeError(
                    .invalidOperand,
                    "The position \(number) is out of range. Use 0 to \(PredicateTree.Limit.positions.upperBound), "
                        + "or [LAST] in a format (.last in code) for the last element."
                )
            }
            self = .element(try Self(parts: base), position)
        case .set(let op, let a, let b): self = .set(op, try Self(parts: a), try Self(parts: b))
        case .call(_, let selector, _): throw .callOutsideMappingModel(selector)
        }
    }

    private static func all(_ operands: [PredicateTree.Operand]) throws(PredicateTreeError) -> [Self] {
        var result: [Self] = []
        result.reserveCapacity(operands.count)
        for operand in operands { result.append(try Self(parts: operand)) }
        return result
    }

    private static func condition(_ tree: PredicateTree) throws(PredicateTreeError) -> PredicateTree.Node {
        if let error = tree.error { throw error }
        return tree.root
    }

    /// Returns the names of a key path. Names that a format could not hold are refused, so that each tree can
    /// be printed and stored.
    private static func keys(
        _ path: String, behind base: ([String]) -> Self
    ) throws(PredicateTreeError) -> [String] {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let written = base(keys)
        guard (try? Self(format: written.description)) == written else {
            throw PredicateTreeError(
                .invalidOperand,
                "'\(path)' is not a key path. Join names of properties by dots, without spaces.", token: path)
        }
        return keys
    }

    private static func variable(named name: String) throws(PredicateTreeError) -> String {
        guard (try? Self(format: "$\(name)")) == .variable(name) else {
            throw PredicateTreeError(
                .invalidOperand,
                "'\(name)' is not a variable's name. Use letters and digits, without the dollar sign.",
                token: name)
        }
        return name
    }
}
