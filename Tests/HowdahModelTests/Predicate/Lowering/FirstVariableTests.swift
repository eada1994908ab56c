import Foundation
import Testing

@testable import HowdahModel

/// A node whose first part is a variable is not evaluated, because that can only fail.
@Suite struct FirstVariableTests {
    private static func begins(_ predicate: Predicate<Worker>) -> Bool {
        func begins(_ node: some PredicateExpression<Bool>) -> Bool { FirstVariables.begins(type(of: node)) }
        return begins(predicate.expression)
    }

    /// Whether the whole can be evaluated without a value of the variable.
    private static func isConstant(_ predicate: Predicate<Worker>) -> Bool {
        func isConstant(_ node: some PredicateExpression<Bool>) -> Bool {
            (try? node.evaluate(PredicateBindings())) != nil
        }
        return isConstant(predicate.expression)
    }

    private static let one = 1
    private static let none: Int? = nil
    private static let names = ["a", "b"]

    @Test("What begins with a variable has no value, and what has a value does not begin with one")
    func agreement() {
        let (one, none, names) = (Self.one, Self.none, Self.names)
        let beginning: [Predicate<Worker>] = [
            #Predicate { $0.age == one }, #Predicate { $0.age < one && one == 1 },
            #Predicate { $0.isActive || one == 1 }, #Predicate { !$0.isActive }, #Predicate { $0.isActive },
            #Predicate { ($0.flag ?? true) == (one == 1) }, #Predicate { $0.boss?.age == one },
            #Predicate { $0.boss?.boss?.nick == "a" }, #Predicate { $0.name.contains("a") },
            #Predicate { $0.name.isEmpty }, #Predicate { $0.team.contains { $0.age == one } },
            #Predicate { $0.isActive ? one == 1 : one == 2 }, #Predicate { $0.age + one > 2 },
            #Predicate { $0.nick != nil }, #Predicate { $0.age * 2 - one < 7 && $0.name == "a" },
        ]
        for predicate in beginning {
            #expect(Self.begins(predicate), "\(predicate)")
            #expect(!Self.isConstant(predicate), "\(predicate)")
        }
        let others: [Predicate<Worker>] = [
            #Predicate { one == $0.age }, #Predicate { names.contains($0.name) },
            #Predicate { one == 1 || $0.age == one }, #Predicate { none == nil || $0.age < none! },
            #Predicate { one == 1 ? true : $0.isActive }, #Predicate { _ in one == 1 },
            #Predicate { _ in true },
        ]
        for predicate in others { #expect(!Self.begins(predicate), "\(predicate)") }
        #expect(others.map(Self.isConstant) == [false, false, true, true, true, true, true])
    }

    @Test("Parts that a captured value decides are still not lowered")
    func decidedParts() throws {
        let none = Self.none
        let tree = try PredicateTree(
            #Predicate<Worker> { $0.age == 1 && (none == nil || $0.age < none!) }, naming: Worker.naming)
        #expect(tree == .format("age == 1"))
    }

    @Test(
        "Names of types",
        arguments: [
            ("Foundation.PredicateExpressions.Variable<A>", true),
            (
                "F.PredicateExpressions.Equal<F.PredicateExpressions.Variable<A>, F.PredicateExpressions.Value<B>>",
                true
            ),
            (
                "F.PredicateExpressions.Equal<F.PredicateExpressions.Value<B>, F.PredicateExpressions.Variable<A>>",
                false
            ),
            ("F.PredicateExpressions.Value<F.PredicateExpressions.Variable<A>>", false),
            ("F.PredicateExpressions.NilLiteral<A>", false), ("A.Variable<B>", false), ("A", false),
            ("", false),
            ("F.PredicateExpressions.VariableLike<A>", false),
        ])
    func names(_ name: String, _ answer: Bool) {
        #expect(FirstVariables.begins(name) == answer)
    }
}
