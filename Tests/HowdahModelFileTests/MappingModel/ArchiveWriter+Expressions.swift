/// The objects of expressions and predicates, with the fields that Foundation gives them.
extension ArchiveWriter {
    mutating func constant(_ value: Item) -> Item {
        add("NSConstantValueExpression", [("NSExpressionType", .integer(0)), ("NSConstantValue", value)])
    }

    mutating func text(_ value: String) -> Item { constant(add(.string(value))) }

    mutating func variable(_ name: String) -> Item {
        add("NSVariableExpression", [("NSExpressionType", .integer(2)), ("NSVariable", add(.string(name)))])
    }

    mutating func keyPath(_ base: Item, _ path: String) -> Item {
        let specifier = add(
            "NSKeyPathSpecifierExpression",
            [("NSExpressionType", .integer(10)), ("NSKeyPath", add(.string(path)))])
        return function(base, "valueForKeyPath:", [specifier], className: "NSKeyPathExpression")
    }

    mutating func source(_ path: String) -> Item { keyPath(variable("source"), path) }

    mutating func array(_ members: [Item]) -> Item { add("NSArray", [("NS.objects", .array(members))]) }

    mutating func function(
        _ target: Item, _ selector: String, _ operands: [Item], className: String = "NSFunctionExpression"
    ) -> Item {
        add(
            className,
            [
                ("NSExpressionType", .integer(4)), ("NSOperand", target),
                ("NSSelectorName", add(.string(selector))), ("NSArguments", array(operands)),
            ])
    }

    /// A function of predicates, which is a method of a class.
    mutating func predicateFunction(_ selector: String, _ operands: [Item]) -> Item {
        let utilities = add(
            "NSConstantValueExpression",
            [
                ("NSExpressionType", .integer(0)),
                ("NSConstantValueClassName", add(.string("_NSPredicateUtilities"))),
            ])
        return function(utilities, selector, operands)
    }

    mutating func aggregate(_ members: [Item]) -> Item {
        add("NSAggregateExpression", [("NSExpressionType", .integer(14)), ("NSCollection", array(members))])
    }

    mutating func set(_ type: Int64, _ left: Item, _ right: Item) -> Item {
        add(
            "NSSetExpression",
            [("NSExpressionType", .integer(type)), ("NSLeftExpression", left), ("NSRightExpression", right)])
    }

    mutating func subquery(_ members: Item, _ variable: String, _ condition: Item) -> Item {
        add(
            "NSSubqueryExpression",
            [
                ("NSExpressionType", .integer(13)), ("NSExpression", members),
                ("NSVariable", add(.string(variable))), ("NSSubpredicate", condition),
            ])
    }

    mutating func ternary(_ test: Item, _ first: Item, _ second: Item) -> Item {
        add(
            "NSTernaryExpression",
            [
                ("NSExpressionType", .integer(20)), ("NSPredicate", test), ("NSTrueExpression", first),
                ("NSFalseExpression", second),
            ])
    }

    mutating func comparison(
        _ left: Item, _ type: Int64, _ right: Item, modifier: Int64 = 0, options: Int64 = 0,
        className: String = "NSEqualityPredicateOperator"
    ) -> Item {
        let field = className == "NSEqualityPredicateOperator" ? "NSOptions" : "NSFlags"
        let op = add(
            className,
            [
                ("NSOperatorType", .integer(type)), ("NSModifier", .integer(modifier)),
                (field, .integer(options)), ("NSNegate", .boolean(type == 5)),
            ])
        return add(
            "NSComparisonPredicate",
            [("NSLeftExpression", left), ("NSRightExpression", right), ("NSPredicateOperator", op)])
    }

    mutating func compound(_ type: Int64, _ members: [Item]) -> Item {
        add(
            "NSCompoundPredicate",
            [("NSCompoundPredicateType", .integer(type)), ("NSSubpredicates", array(members))])
    }

    mutating func dictionary(_ entries: [(String, Item)]) -> Item {
        let keys = entries.map { add(.string($0.0)) }
        return add(
            "NSMutableDictionary", [("NS.keys", .array(keys)), ("NS.objects", .array(entries.map(\.1)))])
    }

    /// The bytes of one archive.
    static func archive(_ make: (inout ArchiveWriter) -> Item) -> [UInt8] {
        var writer = ArchiveWriter()
        let root = make(&writer)
        return writer.bytes(root: root)
    }
}
