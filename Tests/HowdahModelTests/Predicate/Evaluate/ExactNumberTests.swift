import Foundation
import Testing

@testable import HowdahModel

/// Number literals keep all digits that they are written with.
@Suite struct ExactNumberTests {
    @Test(arguments: [
        "12345678901234567890.123456789", "-12345678901234567890.123456789",
        "0.1000000000000000055511151231257827",
        "1.00000000000000000001", "12345678901234567.5e3",
    ])
    func digitsBeyondADoubleMakeADecimal(text: String) throws {
        let tree = try PredicateTree(format: "a == \(text)")
        let expected = try #require(Decimal(string: text))
        #expect(tree.root == comparison(.equal, .constant(.decimal(expected))))
        #expect(try PredicateTree(format: tree.description) == tree)
    }

    @Test(arguments: ["0.1", "0.10", "1e22", "1.5", "1e300", "5e-324", "123456789.125", "3.0e-5"])
    func whatADoubleSaysStaysADouble(text: String) throws {
        let tree = try PredicateTree(format: "a == \(text)")
        let double = try #require(Double(text))
        #expect(tree.root == comparison(.equal, .constant(.double(double))))
        #expect(try PredicateTree(format: tree.description) == tree)
    }
}
