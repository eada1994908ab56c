import Foundation
import Synchronization

/// The types of nodes whose first part is a variable.
///
/// A node evaluates its first part first, which is its first generic argument. If that is a variable without a value,
/// the node has no value either. To find this out by evaluating costs an error, which takes a microsecond.
enum FirstVariables {
    private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

    /// Returns a Boolean value that indicates whether the first part of a node, and of this part, is a variable.
    static func begins<Node: PredicateExpression>(_ node: Node.Type) -> Bool {
        known.withLock { known in
            if let answer = known[ObjectIdentifier(node)] { return answer }
            let answer = begins(String(reflecting: node))
            known[ObjectIdentifier(node)] = answer
            return answer
        }
    }

    /// Names look like `Foundation.PredicateExpressions.Equal<Foundation.PredicateExpressions.Variable<A>, B>`.
    static func begins(_ name: String) -> Bool {
        for part in name.split(separator: "<", omittingEmptySubsequences: false) {
            guard let place = part.range(of: "PredicateExpressions.", options: .backwards) else {
                return false
            }
            let type = part[place.upperBound...]
            if type == "Variable" { return true }
            // The argument of a value is no part of the expression, and what has a comma is a type with none.
            if type == "Value" || type.contains(",") || type.contains(">") { return false }
        }
        return false
    }
}
