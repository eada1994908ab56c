import HowdahModel

extension ArchivedExpression {
    /// A predicate inside an expression.
    mutating func condition(_ number: Int) throws(ArchiveFault) -> PredicateTree.Node {
        guard case .object(let object) = try archive.item(number) else {
            throw ArchiveFault.damaged("it has a value in place of a predicate")
        }
        return try nested { (reader) throws(ArchiveFault) in try reader.condition(of: object) }
    }

    private mutating func condition(
        of object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Node {
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSComparisonPredicate": return try comparison(object)
        case "NSCompoundPredicate":
            var members: [PredicateTree.Node] = []
            for member in try archive.members(try field("NSSubpredicates", of: object)) {
                members.append(try condition(member))
            }
            switch try archive.integer("NSCompoundPredicateType", of: object) {
            case 0? where members.count == 1: return .not(members[0])
            case 1?: return .all(members)
            case 2?: return .any(members)
            default:
                throw ArchiveFault.damaged("an \(object.className) is not an AND, OR or NOT")
            }
        default:
            throw ArchiveFault(
                "Predicates of the class \(object.className) are not supported. Use a predicate in text form, or "
                    + "compute the value in the entity's migration policy.")
        }
    }

    private mutating func comparison(
        _ object: KeyedArchive.Object
    ) throws(ArchiveFault) -> PredicateTree.Node {
        let left = try expression(try field("NSLeftExpression", of: object))
        let right = try expression(try field("NSRightExpression", of: object))
        guard case .object(let op) = try archive.item(try field("NSPredicateOperator", of: object)) else {
            throw ArchiveFault.damaged("an \(object.className) has no operator")
        }
        guard let type = try archive.integer("NSOperatorType", of: op), let comparison = Self.operators[type]
        else {
            throw ArchiveFault(
                "A comparison uses a custom selector or an unknown operator. Use an operator of the predicate "
                    + "format, such as == or CONTAINS, or compute the value in the entity's migration policy."
            )
        }
        let modifiers: [Int: PredicateTree.Modifier] = [0: .direct, 1: .all, 2: .any]
        guard let modifier = modifiers[try archive.integer("NSModifier", of: op) ?? 0] else {
            throw ArchiveFault.damaged("an operator has a modifier that is neither ANY nor ALL")
        }
        let flags = try archive.integer("NSFlags", of: op)
        let options = try archive.integer("NSOptions", of: op) ?? flags ?? 0
        guard options & ~0x0F == 0 else {
            throw ArchiveFault.damaged("an operator has unknown options")
        }
        return .comparison(
            lhs: left, op: comparison, rhs: right,
            options: PredicateTree.Options(rawValue: UInt8(options)), modifier: modifier)
    }

    private static let operators: [Int: PredicateTree.Operator] = [
        0: .lessThan, 1: .lessThanOrEqual, 2: .greaterThan, 3: .greaterThanOrEqual, 4: .equal, 5: .notEqual,
        6: .matches, 7: .like, 8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]
}
