import Foundation

extension PredicateParser {
    /// Returns the argument of the current placeholder, and its number counted from 1.
    private mutating func argument() throws(PredicateTreeError) -> (value: (any Sendable)?, number: Int) {
        guard nextArgument < arguments.count else {
            throw error(
                .argumentCount,
                "This placeholder needs argument \(nextArgument + 1), but the number of arguments is "
                    + "\(arguments.count). Add the argument.",
                argument: nextArgument + 1)
        }
        nextArgument += 1
        return (arguments[nextArgument - 1], nextArgument)
    }

    private func mismatch(_ argument: (value: (any Sendable)?, number: Int), _ wanted: String)
        -> PredicateTreeError
    {
        let given = argument.value.map { "\(type(of: $0))" } ?? "nil"
        return error(
            .argumentType, "Argument \(argument.number) is \(given), but \(wanted).",
            argument: argument.number
        )
    }

    mutating func objectArgument() throws(PredicateTreeError) -> PredicateTree.Expression {
        let argument = try argument()
        guard let expression = PredicateTree.Expression(argument: argument.value) else {
            throw mismatch(
                argument,
                "%@ does not take that type. Pass numbers, strings, dates, data, UUIDs, URLs, object ids, "
                    + "nil, or collections of them"
            )
        }
        if case .collection(let members) = expression, members.count > PredicateTree.Limit.members {
            throw error(
                .tooLarge,
                "Argument \(argument.number) has more than \(PredicateTree.Limit.members) members. Split the "
                    + "collection, and fetch once for each part.",
                argument: argument.number)
        }
        try advance()
        return expression
    }

    /// Returns the operand of an integer placeholder.
    mutating func integerOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        guard let open = try openArgument() else { return .constant(try integerArgument()) }
        return open
    }

    /// Returns the operand of a floating-point placeholder.
    mutating func floatOperand() throws(PredicateTreeError) -> PredicateTree.Expression {
        guard let open = try openArgument() else { return .constant(try floatArgument()) }
        return open
    }

    /// Passes a placeholder whose argument is open, as in a template; nil for other arguments.
    private mutating func openArgument() throws(PredicateTreeError) -> PredicateTree.Expression? {
        guard nextArgument < arguments.count, let slot = arguments[nextArgument] as? PredicateTemplate.Slot
        else { return nil }
        nextArgument += 1
        try advance()
        return slot.expression
    }

    mutating func integerArgument() throws(PredicateTreeError) -> Value {
        let argument = try argument()
        guard let value = argument.value.flatMap(Value.init(predicateArgument:)) else {
            throw mismatch(argument, "an integer placeholder needs an integer. Pass an integer")
        }
        guard let integer = value.asInteger(of: argument.value) else {
            throw mismatch(argument, "an integer placeholder needs an integer. Use %@ or %f")
        }
        try advance()
        return integer
    }

    private mutating func floatArgument() throws(PredicateTreeError) -> Value {
        let argument = try argument()
        guard let value = argument.value.flatMap(Value.init(predicateArgument:)) else {
            throw mismatch(argument, "a floating-point placeholder needs a number. Pass a number")
        }
        guard let double = value.asDouble else {
            throw mismatch(argument, "a floating-point placeholder needs a float or an integer. Use %@")
        }
        try advance()
        return double
    }

    /// Returns the keys of a %K argument.
    ///
    /// It may hold only names and dots, so that an argument can never be more than a key path.
    mutating func keyArgument(isFirst: Bool) throws(PredicateTreeError) -> [String] {
        let argument = try argument()
        guard case .string(let path)? = argument.value.flatMap(Value.init(predicateArgument:)) else {
            throw mismatch(argument, "%K needs a key path as a string. Use %@ for values")
        }
        var keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        if isFirst, keys.first?.uppercased() == "SELF" { keys.removeFirst() }
        let names = keys.filter { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
        guard names.allSatisfy(\.isKey), keys.first.map({ !$0.hasPrefix("@") }) ?? true,
            keys.operatorComplaint == nil
        else {
            throw error(
                .argumentType,
                "Argument \(argument.number) is not a key path. Use names of letters, digits and _ joined by "
                    + "dots, with operators such as @count after them.",
                argument: argument.number)
        }
        return keys
    }
}

extension Value {
    /// Returns the value that an integer placeholder has for an argument; nil if it takes none of its kind.
    func asInteger(of argument: (any Sendable)?) -> Value? {
        switch self {
        case .int: self
        case .bool(let bool): .int(bool ? 1 : 0)
        case .decimal where argument is any BinaryInteger: self
        default: nil
        }
    }

    /// The value that a floating-point placeholder has for the value; nil if it takes none of its kind.
    var asDouble: Value? {
        switch self {
        case .double: self
        case .float(let float): .double(Double(float))
        case .int(let integer): .double(Double(integer))
        default: nil
        }
    }
}

extension String {
    /// A Boolean value that indicates whether the string can be one key of a key path.
    var isKey: Bool {
        guard let first = unicodeScalars.first, first.isKeyPart(first: true) else { return false }
        return unicodeScalars.dropFirst().allSatisfy { $0.isKeyPart(first: false) }
    }
}
