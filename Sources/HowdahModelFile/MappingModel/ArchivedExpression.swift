import HowdahModel

/// Turns the expression objects of a keyed archive into our tree.
///
/// Only the classes named here are read; of others nothing is made but an error that names them.
struct ArchivedExpression {
    var archive: KeyedArchive
    private var depth = 0
    private var count = 0

    enum Limit {
        static let depth = 64
        static let objects = 10_000
    }

    /// Reads the expression of an archive.
    static func read(_ bytes: [UInt8]) throws(ArchiveFault) -> MappingExpression {
        var reader = ArchivedExpression(archive: try KeyedArchive(bytes))
        if try reader.archive.isNull(reader.archive.root) { return .constant(.null) }
        let root = try reader.expression(reader.archive.root)
        do throws(PredicateTreeError) {
            // By way of its text, so that what is read can also be written, and is checked as what people write.
            return try MappingExpression(format: try MappingExpression(root).description)
        } catch {
            throw ArchiveFault(error.message)
        }
    }

    private init(archive: KeyedArchive) { self.archive = archive }

    /// Runs `body` one level deeper; cycles end here, and objects that are shared are counted each time.
    mutating func nested<T>(
        _ body: (inout ArchivedExpression) throws(ArchiveFault) -> T
    ) throws(ArchiveFault) -> T {
        depth += 1
        count += 1
        guard depth <= Limit.depth else {
            throw ArchiveFault(
                "The expression is nested deeper than \(Limit.depth) levels, or contains itself. Simplify the "
                    + "expression, or restore the mapping model file from version control.")
        }
        guard count <= Limit.objects else { throw .tooLarge }
        defer { depth -= 1 }
        return try body(&self)
    }

    mutating func expression(_ number: Int) throws(ArchiveFault) -> PredicateTree.Expression {
        guard case .object(let object) = try archive.item(number) else {
            throw ArchiveFault.damaged("it has a value in place of an expression")
        }
        return try nested { (reader) throws(ArchiveFault) in try reader.expression(of: object) }
    }

    private mutating func expression(
        of object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Expression {
        switch object.className {
        case "NSConstantValueExpression": return try constant(object)
        case "NSSelfExpression": return .evaluatedObject
        case "NSVariableExpression": return .variable(try archive.text("NSVariable", of: object))
        case "NSKeyPathSpecifierExpression": return .joined(.evaluatedObject, try keys(object))
        case "NSKeyPathExpression": return try keyPath(object)
        case "NSFunctionExpression": return try function(object)
        case "NSAggregateExpression":
            return .gathered(try expressions(try field("NSCollection", of: object)))
        case "NSSetExpression": return try set(object)
        case "NSSubqueryExpression":
            let members = try expression(try field("NSExpression", of: object))
            let condition = try condition(try field("NSSubpredicate", of: object))
            return .subquery(members, variable: try archive.text("NSVariable", of: object), condition)
        case "NSTernaryExpression":
            let test = try condition(try field("NSPredicate", of: object))
            let first = try expression(try field("NSTrueExpression", of: object))
            return .conditional(test, first, try expression(try field("NSFalseExpression", of: object)))
        default:
            throw ArchiveFault(
                "Expressions of the class \(object.className) are not supported. Use an expression in text form, or "
                    + "compute the value in the entity's migration policy."
            )
        }
    }

    func field(_ name: String, of object: KeyedArchive.Object) throws(ArchiveFault) -> Int {
        guard let number = object.fields[name] else {
            throw ArchiveFault.missing(name, of: object)
        }
        return number
    }

    private mutating func expressions(_ number: Int) throws(ArchiveFault) -> [PredicateTree.Expression] {
        var expressions: [PredicateTree.Expression] = []
        for member in try archive.members(number) { expressions.append(try expression(member)) }
        return expressions
    }

    private mutating func constant(
        _ object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Expression {
        if let number = object.fields["NSConstantValueClassName"], try !archive.isNull(number) {
            let name = try archive.text("NSConstantValueClassName", of: object)
            throw ArchiveFault(
                "The expression uses the class \(name) as a value. Use a constant, or compute the value in the "
                    + "entity's migration policy.")
        }
        guard let number = object.fields["NSConstantValue"] else { return .constant(.null) }
        switch try value(number) {
        case .array(let members): return .collection(members)
        case let value: return .constant(value)
        }
    }

    private mutating func keys(_ object: KeyedArchive.Object) throws(ArchiveFault) -> [String] {
        try archive.text("NSKeyPath", of: object).split(separator: ".", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// A function in which the operand is asked for the value of a key path.
    private mutating func keyPath(
        _ object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Expression {
        let selector = try KeyedSelector(rawValue: archive.text("NSSelectorName", of: object)) ?? .keyPath
        let base = try expression(try field("NSOperand", of: object))
        let arguments = try archive.members(try field("NSArguments", of: object))
        guard arguments.count == 1, case .object(let path) = try archive.item(arguments[0]) else {
            throw ArchiveFault.damaged("an \(object.className) has no key path")
        }
        switch path.className {
        case "NSKeyPathSpecifierExpression": return .joined(base, try keys(path))
        case "NSConstantValueExpression":
            let text = try archive.text("NSConstantValue", of: path)
            if selector == .key, text.contains(".") {
                throw ArchiveFault(
                    "valueForKey: takes one key, but its argument is a key path. Write valueForKeyPath: instead."
                )
            }
            return .joined(base, selector.keys(of: text))
        default:
            throw ArchiveFault(
                "The key of \(selector.rawValue) is an expression of the class \(path.className). Write the key as a "
                    + "string.")
        }
    }

    private mutating func function(
        _ object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Expression {
        let selector = try archive.text("NSSelectorName", of: object)
        if KeyedSelector(rawValue: selector) != nil { return try keyPath(object) }
        let target = try field("NSOperand", of: object)
        let operands =
            try object.fields["NSArguments"].map { (number) throws(ArchiveFault) in try expressions(number) }
            ?? []
        if try isFunctionTarget(target) { return try predicateFunction(selector, operands) }
        return .call(try expression(target), selector: selector, operands)
    }

    /// Whether a selector is that of a function of predicates: their target is a class.
    private mutating func isFunctionTarget(_ number: Int) throws(ArchiveFault) -> Bool {
        guard case .object(let object) = try archive.item(number),
            object.className == "NSConstantValueExpression",
            let name = object.fields["NSConstantValueClassName"], try !archive.isNull(name)
        else { return false }
        return try archive.text("NSConstantValueClassName", of: object) == "_NSPredicateUtilities"
    }

    private func predicateFunction(
        _ selector: String, _ operands: [PredicateTree.Expression]
    ) throws(ArchiveFault) -> PredicateTree.Expression {
        if selector == "castObject:toType:", operands.count == 2,
            case .constant(.string(let type)) = operands[1],
            let cast = PredicateTree.Cast(rawValue: type)
        {
            return .cast(operands[0], cast)
        }
        if selector == "objectFrom:withIndex:", operands.count == 2,
            case .constant(.int(let position)) = operands[1], (0...Int64(Int32.max)).contains(position)
        {
            return .element(operands[0], .number(Int(position)))
        }
        guard let function = PredicateTree.Function(name: selector), function.arity == operands.count else {
            throw ArchiveFault(
                "The function \(selector) with \(operands.count) operands is not supported in expressions. "
                    + "Use another function, or compute the value in the entity's migration policy.")
        }
        return .function(function, operands)
    }

    private mutating func set(_ object: KeyedArchive.Object) throws(ArchiveFault) -> PredicateTree.Expression
    {
        let operators: [Int: PredicateTree.SetOperator] = [5: .union, 6: .intersect, 7: .minus]
        guard let type = try archive.integer("NSExpressionType", of: object), let op = operators[type] else {
            throw ArchiveFault.damaged("an \(object.className) is not a UNION, INTERSECT or MINUS")
        }
        let left = try expression(try field("NSLeftExpression", of: object))
        return .set(op, left, try expression(try field("NSRightExpression", of: object)))
    }
}

extension PredicateTree.Expression {
    /// A collection of constants where all are, else of operands.
    fileprivate static func gathered(_ members: [Self]) -> Self {
        let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        return values.count == members.count ? .collection(values) : .aggregate(members)
    }
}
