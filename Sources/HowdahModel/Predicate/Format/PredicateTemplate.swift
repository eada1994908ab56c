/// A format that was read once, with the values of its placeholders still open.
///
/// It gives the tree that reading the format would give, or none: then the format is read again. So whatever
/// needs an error, or depends on a value in another way, is left to the parser.
struct PredicateTemplate: Sendable {
    private let root: PredicateTree.Node
    private let placeholders: [PredicatePlaceholder]
    /// The key paths of the `%K` in the format, by the position of their argument.
    private let keys: [Int: String]
    /// The size of each tree, unless it follows from the values.
    private let size: (depth: Int, terms: Int)?

    /// An open argument; the number is its position, from 0.
    struct Slot: Sendable {
        let number: Int

        /// A variable that no format can name.
        var expression: PredicateTree.Expression { .variable(Self.mark + String(number)) }

        static let mark = "\u{0}"

        init(_ number: Int) { self.number = number }

        /// Returns the slot of a variable; nil for those of a format.
        init?(variable name: String) {
            guard name.hasPrefix(Self.mark), let number = Int(name.dropFirst()) else { return nil }
            self.number = number
        }
    }

    /// Reads a format; nil if its values have places where the parser decides by them.
    ///
    /// Values must be whole sides of comparisons, or members of collections that are written out.
    init?(format: String, arguments: [(any Sendable)?]) {
        guard let placeholders = try? PredicatePlaceholder.all(in: format),
            placeholders.count == arguments.count
        else { return nil }
        var keys: [Int: String] = [:]
        var open = arguments
        for (position, placeholder) in placeholders.enumerated() {
            if placeholder != .key {
                open[position] = Slot(position)
            } else if let key = arguments[position] as? String {
                keys[position] = key
            } else {
                return nil
            }
        }
        guard var parser = try? PredicateParser(format: format, arguments: open),
            let root = try? parser.condition()
        else { return nil }
        let tree = PredicateTree(root)
        var places = Places()
        places.collect(root)
        guard tree.error == nil, places.slots == placeholders.count - keys.count else { return nil }
        self.root = root
        self.placeholders = placeholders
        self.keys = keys
        size = places.hasCollections ? nil : (tree.depth, tree.terms)
    }

    /// Returns the tree with values; nil if the parser must decide about them.
    func tree(_ arguments: [(any Sendable)?]) -> PredicateTree? {
        guard arguments.count == placeholders.count else { return nil }
        if placeholders.isEmpty { return tree(root) }
        var values: [PredicateTree.Expression?] = []
        values.reserveCapacity(arguments.count)
        for (position, argument) in arguments.enumerated() {
            switch placeholders[position] {
            case .object:
                guard let value = PredicateTree.Expression(argument: argument) else { return nil }
                if case .collection(let members) = value, members.count > PredicateTree.Limit.members {
                    return nil
                }
                values.append(value)
            case .integer:
                guard let argument, let integer = Value(predicateArgument: argument)?.asInteger(of: argument)
                else { return nil }
                values.append(.constant(integer))
            case .float:
                guard let argument, let double = Value(predicateArgument: argument)?.asDouble else {
                    return nil
                }
                values.append(.constant(double))
            case .key:
                guard let key = argument as? String, key == keys[position] else { return nil }
                values.append(nil)
            }
        }
        return Self.bound(root, values).map(tree)
    }

    private func tree(_ root: PredicateTree.Node) -> PredicateTree {
        guard let size else { return PredicateTree(root) }
        return PredicateTree(root, depth: size.depth, terms: size.terms)
    }

    private static func bound(
        _ node: PredicateTree.Node, _ values: [PredicateTree.Expression?]
    ) -> PredicateTree.Node? {
        switch node {
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            guard let left = bound(lhs, values), let right = bound(rhs, values),
                !right.isCollection || op == .in || op == .between,
                PredicateTree.complaint(lhs: left, op: op, rhs: right, modifier: modifier) == nil
            else { return nil }
            return .comparison(lhs: left, op: op, rhs: right, options: options, modifier: modifier)
        case .and(let members): return bound(members, values).map { .and($0) }
        case .or(let members): return bound(members, values).map { .or($0) }
        case .not(let inner): return bound(inner, values).map { .not($0) }
        case .constant, .invalid: return node
        }
    }

    private static func bound(
        _ nodes: [PredicateTree.Node], _ values: [PredicateTree.Expression?]
    ) -> [PredicateTree.Node]? {
        var members: [PredicateTree.Node] = []
        members.reserveCapacity(nodes.count)
        for node in nodes {
            guard let member = bound(node, values) else { return nil }
            members.append(member)
        }
        return members
    }

    private static func bound(
        _ expression: PredicateTree.Expression, _ values: [PredicateTree.Expression?]
    ) -> PredicateTree.Expression? {
        switch expression {
        case .variable(let name): return Slot(variable: name).map { values[$0.number] } ?? expression
        case .aggregate(let written):
            var members: [PredicateTree.Expression] = []
            var constants: [Value] = []
            for member in written {
                guard let member = bound(member, values), !member.isCollection else { return nil }
                members.append(member)
                if case .constant(let value) = member { constants.append(value) }
            }
            return constants.count == members.count ? .collection(constants) : .aggregate(members)
        default: return expression
        }
    }

    /// The places of a tree that slots may have.
    private struct Places {
        var slots = 0
        var hasCollections = false

        mutating func collect(_ node: PredicateTree.Node) {
            switch node {
            case .comparison(let lhs, _, let rhs, _, _):
                collect(lhs)
                collect(rhs)
            case .and(let members), .or(let members): for member in members { collect(member) }
            case .not(let inner): collect(inner)
            case .constant, .invalid: break
            }
        }

        private mutating func collect(_ expression: PredicateTree.Expression) {
            switch expression {
            case .variable(let name): if name.hasPrefix(Slot.mark) { slots += 1 }
            case .aggregate(let members):
                hasCollections = true
                for member in members where Self.isSlot(member) { slots += 1 }
            default: break
            }
        }

        private static func isSlot(_ expression: PredicateTree.Expression) -> Bool {
            guard case .variable(let name) = expression else { return false }
            return name.hasPrefix(Slot.mark)
        }
    }
}
