import Foundation
import Testing

@testable import HowdahModel

struct MappingExpressionTests {
    @Test(arguments: [
        "$source", "$source.a", "$source.a.b.@count", "$source.items.@distinctUnionOfObjects.tag",
        "($source.price * 100) + 1", "'text'", "NULL", "TRUE", "{1, 2}", "uppercase:($source.name)",
        "CAST(0.0, 'NSDate')", "TERNARY($source.a == NULL, 'none', $source.a)",
        "SUBQUERY($source.items, $i, $i.size > 3)", "FUNCTION($entityPolicy, 'go')",
        "FUNCTION($entityPolicy, 'colorOf:and:', $source.a, 1 + 2)",
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'AToA', $source.a)",
        "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', 'a', $source.a)",
        "uppercase:(FUNCTION($entityPolicy, 'nameOf:', $source))",
        "FUNCTION($entityPolicy, 'length', $source.a)", "$source.#in.#SELF",
    ])
    func formatsReadBack(format: String) throws {
        let expression = try MappingExpression(format: format)
        #expect(expression.description == format)
        #expect(try MappingExpression(format: expression.description) == expression)
        let data = try JSONEncoder().encode([expression])
        #expect(try JSONDecoder().decode([MappingExpression].self, from: data) == [expression])
    }

    @Test func operatorsForSetsAreThoseForObjects() throws {
        for (set, object) in [
            ("distinctUnionOfSets", "distinctUnionOfObjects"), ("unionOfArrays", "unionOfObjects"),
            ("distinctUnionOfArrays", "distinctUnionOfObjects"), ("unionOfSets", "distinctUnionOfObjects"),
        ] {
            #expect(
                try MappingExpression(format: "$source.a.@\(set).b").description == "$source.a.@\(object).b")
        }
    }

    @Test func functionsOfPredicatesStayFunctions() throws {
        let length = try MappingExpression(format: "FUNCTION($source.name, 'length')")
        #expect(length.description == "length:($source.name)" && length.calls.isEmpty)
    }

    @Test func valueForKeyIsAKeyPath() throws {
        for (format, path) in [
            ("FUNCTION($source, 'valueForKey:' , 'name')", "$source.name"),
            (#"FUNCTION($source, "valueForKey:", "name")"#, "$source.name"),
            ("FUNCTION($source, 'valueForKeyPath:', 'shelf.label')", "$source.shelf.label"),
            ("FUNCTION($source.shelf, 'valueForKey:', 'label')", "$source.shelf.label"),
            ("FUNCTION($source, 'valueForKeyPath:', 'items.@count') + 1", "$source.items.@count + 1"),
            (
                "FUNCTION($source, 'valueForKeyPath:', 'items.@distinctUnionOfSets.tag')",
                "$source.items.@distinctUnionOfObjects.tag"
            ),
            ("FUNCTION($source, 'valueForKey:', 'in')", "$source.#in"),
            (
                "uppercase:(FUNCTION(FUNCTION($source, 'valueForKey:', 'shelf'), 'valueForKey:', 'label'))",
                "uppercase:($source.shelf.label)"
            ),
        ] {
            let expression = try MappingExpression(format: format)
            #expect(try expression == MappingExpression(format: path), "\(format): \(expression)")
            #expect(expression.calls.isEmpty)
        }
        let given = try MappingExpression(format: "FUNCTION($source, 'valueForKey:', %@)", arguments: ["a"])
        #expect(given == .source("a"))
        #expect(
            try PredicateTree(format: "FUNCTION(SELF, 'valueForKey:', 'name') == 'a'")
                == PredicateTree(format: "name == 'a'"))
    }

    @Test func keysThatCannotBeAreRefused() {
        for (format, words) in [
            ("FUNCTION($source, 'valueForKey:')", "needs a quoted key"),
            ("FUNCTION($source, 'valueForKey:', 4)", "needs a quoted key"),
            ("FUNCTION($source, 'valueForKey:', $source.name)", "needs a quoted key"),
            ("FUNCTION($source, 'valueForKey:', 'a.b')", "Write valueForKeyPath: instead."),
            ("FUNCTION($source, 'valueForKey:', '')", "letters, digits and _"),
            ("FUNCTION($source, 'valueForKeyPath:', 'a..b')", "letters, digits and _"),
            ("FUNCTION($source, 'valueForKeyPath:', 'a b')", "letters, digits and _"),
            ("FUNCTION($source, 'valueForKeyPath:', 'items.@size')", "not a key path operator"),
            ("FUNCTION('text', 'valueForKey:', 'a')", "is applied to a literal"),
            ("FUNCTION($source, 'valueForKey:', 'a'", "no closing parenthesis"),
            ("FUNCTION($source, 'valueForKey:', 'a', 'b')", "no closing parenthesis"),
        ] {
            let error = #expect(throws: PredicateTreeError.self, "\(format)") {
                try MappingExpression(format: format)
            }
            #expect(error?.message.contains(words) == true, "\(format): \(error?.message ?? "")")
        }
    }

    @Test func callsAreRecognisedInsideOut() throws {
        let expression = try MappingExpression(
            format: "FUNCTION($entityPolicy, 'b:', FUNCTION($entityPolicy, 'a', $source.x)) + "
                + "TERNARY(FUNCTION($entityPolicy, 'a') == 1, FUNCTION($source, 'other'), 2)")
        #expect(expression.call == nil)
        #expect(expression.policySelectors == ["a", "b:"])
        #expect(
            expression.calls.map { call in
                switch call {
                case .policy(let selector, _): selector
                case .unknown(_, let selector, _): "? " + selector
                case .destinationInstances: "objects"
                }
            } == ["a", "b:", "? other", "a"])
        let lookup = MappingExpression.destinationInstances(
            forEntityMappingNamed: "AToB", sourceInstances: .source("a"))
        #expect(
            lookup.call
                == .destinationInstances(
                    .entityMapping, name: "AToB", of: .path(.variable("source"), ["a"])))
        let unknown = try MappingExpression(format: "FUNCTION($manager, 'sourceContext')")
        #expect(
            unknown.call == .unknown(target: .variable("manager"), selector: "sourceContext", []))
    }

    @Test(arguments: [
        "", "$source.", "$source.a b", "FUNCTION($source)", "FUNCTION($manager, 'a'", "median:($source.a)",
        "$source.a == 1", "%@",
    ])
    func wrongFormatsAreRefused(format: String) {
        #expect(throws: PredicateTreeError.self) { try MappingExpression(format: format) }
    }

    @Test func argumentsAreConstants() throws {
        let date = Date(timeIntervalSinceReferenceDate: 60)
        let expression = try MappingExpression(format: "%@", arguments: [date])
        #expect(expression == .constant(.date(date)))
        #expect(throws: PredicateTreeError.self) { try MappingExpression(format: "1", arguments: [1]) }
    }

    @Test func tooDeepIsRefused() {
        let format = String(repeating: "(1 + ", count: 300) + "1" + String(repeating: ")", count: 300)
        #expect(throws: PredicateTreeError.self) { try MappingExpression(format: format) }
    }

    /// Elsewhere, nobody could answer.
    @Test func predicatesDoNotCallMethods() throws {
        #expect(throws: PredicateTreeError.self) {
            try PredicateTree(format: "FUNCTION($entityPolicy, 'go') == 1")
        }
        let call = try MappingExpression(format: "FUNCTION($entityPolicy, 'go')").root
        let tree = PredicateTree(.comparison(lhs: call, op: .equal, rhs: .constant(.int(1))))
        #expect(throws: PredicateTreeError.callOutsideMappingModel("go")) { try PredicateEvaluator(tree) }
    }

    /// Names of functions, texts, and what only counts are no values that are read.
    @Test func theSourcePathsAreThoseThatAreRead() throws {
        for (format, paths) in [
            ("uppercase($source.a.x)", [["a", "x"]]), ("$source.shelf.name", [["shelf", "name"]]),
            ("'notes'", []), ("$source.tags.@count", []), ("$source.a + $source.b", [["a"], ["b"]]),
            (
                "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'XToY', $source.rel)",
                [["rel"]]
            ),
        ] as [(String, [[String]])] {
            #expect(try MappingExpression(format: format).sourcePaths == paths, "\(format)")
        }
    }
}
