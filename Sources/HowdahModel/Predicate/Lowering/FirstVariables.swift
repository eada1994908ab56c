import Foundation
import Synchronization

/// The types of nodes whose first part is a variable.
///
/// A node evaluates its first part first, which is its first generic argument. If that is a variable without a value,
/// the node has no value either. To find this out by evaluating costs an error, which takes a microsecond.
///
/// The answers are in a table of words without a lock, for which all threads with predicates would queue up.
enum FirstVariables {
    private static let size = 1_024
    // Sound: the words are atomic, and the table is never released.
    /// Each word is the address of a type, with the answer as its last bit. A type may replace another one.
    nonisolated(unsafe) private static let words: UnsafeMutablePointer<Atomic<UInt>> = {
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: size)
        for place in 0..<size { (words + place).initialize(to: Atomic(0)) }
        return words
    }()

    /// Returns a Boolean value that indicates whether the first part of a node, and of this part, is a variable.
    static func begins<Node: PredicateExpression>(_ node: Node.Type) -> Bool {
        let address = UInt(bitPattern: ObjectIdentifier(node))
        let place = Int(truncatingIfNeeded: (address >> 4) ^ (address >> 14)) & (size - 1)
        let word = words[place].load(ordering: .relaxed)
        if word & ~1 == address { return word & 1 == 1 }
        let answer = begins(String(reflecting: node))
        words[place].store(address | (answer ? 1 : 0), ordering: .relaxed)
        return answer
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
