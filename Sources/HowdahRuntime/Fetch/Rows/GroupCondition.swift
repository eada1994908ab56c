import HowdahModel
import PQClient

/// Writes a predicate on groups as a HAVING condition. Its key paths and variables are names of columns.
struct GroupCondition {
    let columns: [ValueColumn]

    func sql(
        _ node: PredicateTree.Node, _ renderer: inout PredicateRenderer, negated: Bool = false
    ) throws -> String {
        switch node {
        case .constant(let flag): return flag != negated ? "TRUE" : "FALSE"
        case .not(let inner): return try sql(inner, &renderer, negated: !negated)
        case .and(let members):
            return try junction(members, negated ? " OR " : " AND ", &renderer, negated)
        case .or(let members): return try junction(members, negated ? " AND " : " OR ", &renderer, negated)
        case .invalid(let error): throw error
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            guard modifier == .direct else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "A havingPredicate has \(modifier.rawValue), but a group has only one value of each "
                        + "name. Remove \(modifier.rawValue).")
            }
            return try renderer.compare(operand(lhs), op, operand(rhs), options, negated: negated)
        }
    }

    private func junction(
        _ members: [PredicateTree.Node], _ separator: String, _ renderer: inout PredicateRenderer,
        _ negated: Bool
    ) throws -> String {
        let parts = try members.map { try sql($0, &renderer, negated: negated) }
        if parts.isEmpty { return separator == " AND " ? "TRUE" : "FALSE" }
        return "(" + parts.joined(separator: separator) + ")"
    }

    private func operand(_ expression: PredicateTree.Expression) throws -> ResolvedOperand {
        switch expression {
        case .constant(let value): return .constant(value)
        case .collection(let values): return .collection(values)
        case .keyPath(let path): return try column(named: path.joined(separator: "."))
        case .variable(let name): return try column(named: name)
        default:
            throw PredicateTreeError(
                .unsupported,
                "A havingPredicate has an operand that is not a fetched value or a constant. Compare fetched values "
                    + "with constants."
            )
        }
    }

    private func column(named name: String) throws -> ResolvedOperand {
        guard let column = columns.first(where: { $0.name == name || $0.path == name && !$0.isAggregate })
        else {
            let names = columns.map(\.name).reduce(into: [String]()) { names, name in
                // What is fetched and grouped by comes in both lists.
                if !names.contains(name) { names.append(name) }
            }
            let hint = NearestName.of(name, among: names).map { "Did you mean '\($0)'?" }
            throw PredicateTreeError(
                .unknownKey,
                "A group has no value '\(name)'. \(hint ?? "Use one of these: \(names.joined(separator: ", ")).")",
                token: name)
        }
        guard let compared = column.compared else {
            throw PredicateTreeError(
                .invalidOperand,
                "'\(name)' is not one value. Compare one of its attributes, or filter the rows with the request's "
                    + "predicate."
            )
        }
        return .column(compared)
    }
}
