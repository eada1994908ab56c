import Foundation
import Testing

@testable import HowdahModel

/// Conditions taken apart by the public view, and put together again.
@Suite struct PartsTests {
    @Test func partsMakeTheSameTreeAgain() throws {
        let seed: UInt64 = 20_261_125
        var random = RandomPredicates(seed: seed)
        for round in 0..<3_000 {
            let tree = PredicateTree(random.node(depth: Int.random(in: 0...5, using: &random.generator)))
            try #require(try PredicateTree(parts: tree) == tree, "seed \(seed), round \(round): \(tree)")
            try #require(try tree.mapOperands { $0 } == tree, "seed \(seed), round \(round): \(tree)")
        }
    }

    /// Each key path gets a name more, and loses it: nothing is left out, and nothing is changed twice.
    @Test func mappingReachesEachKeyPathOnce() throws {
        var random = RandomPredicates(seed: 8)
        for round in 0..<1_000 {
            let tree = PredicateTree(random.node(depth: Int.random(in: 0...4, using: &random.generator)))
            let longer = try tree.mapOperands { operand in
                if case .keyPath(let path) = operand { .keyPath("q." + path) } else { operand }
            }
            func paths(_ tree: PredicateTree) -> [String] {
                tree.operands.compactMap { if case .keyPath(let path) = $0 { path } else { nil } }
            }
            try #require(paths(longer) == paths(tree).map { "q." + $0 }, "round \(round): \(tree)")
            let back = try longer.mapOperands { operand in
                if case .keyPath(let path) = operand { .keyPath(String(path.dropFirst(2))) } else { operand }
            }
            try #require(back == tree, "round \(round): \(tree)")
        }
    }

    @Test func operandsAreListedWithThoseInside() throws {
        let tree = try PredicateTree(
            format:
                "NOT a.b == %@ AND SUBQUERY(items, $i, $i.price > limit + 3 AND $i.kind IN {1, other}).@count > 2",
            "x")
        #expect(
            tree.operands.map(\.description) == [
                "a.b", "'x'", "SUBQUERY(items, $i, $i.price > limit + 3 AND $i.kind IN {1, other}).@count",
                "SUBQUERY(items, $i, $i.price > limit + 3 AND $i.kind IN {1, other})", "items", "$i.price",
                "$i",
                "limit + 3", "limit", "3", "$i.kind", "$i", "{1, other}", "1", "other", "2",
            ])
        #expect(
            try tree.mapOperands { $0 == .keyPath("limit") ? .constant(7) : $0 }.description.contains("7 + 3")
        )
    }

    @Test func theViewHasTheWordsOfFoundation() throws {
        let tree = try PredicateTree(format: "ANY items.name BEGINSWITH[cd] %@", "é")
        guard case .comparison(let comparison) = tree.kind else {
            Issue.record("\(tree)")
            return
        }
        #expect(comparison.left == .keyPath("items.name") && comparison.right == .constant(.string("é")))
        #expect(comparison.operator == .beginsWith && comparison.modifier == .any)
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(comparison.description == tree.description)
        let both = PredicateTree.and([tree, .not(.format("a == 1")), .true])
        guard case .compound(.and, let members) = both.kind else {
            Issue.record("\(both)")
            return
        }
        #expect(members.map(\.description) == [tree.description, "NOT a == 1", "TRUEPREDICATE"])
        #expect(PredicateTree.false.kind == .constant(false))
        guard case .invalid(let error) = PredicateTree.format("a ==").kind else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .syntax)
    }

    @Test func comparisonsAreMadeByHand() throws {
        typealias Comparison = PredicateTree.Comparison
        let salary = Comparison(
            left: .function("multiply:by:", [.keyPath("salary"), .constant(12)]), operator: .between,
            right: .aggregate([.constant(10), .variable("high")]))
        #expect(try PredicateTree(salary) == PredicateTree(format: "salary * 12 BETWEEN {10, $high}"))
        let name = Comparison(
            left: .keyPath("name"), operator: .in,
            right: .aggregate([.constant("e\u{301}"), .constant("b")]),
            options: .caseInsensitive)
        #expect(try PredicateTree(name) == PredicateTree(format: "name IN[c] %@", ["é", "b"]))
        let first = Comparison(
            left: .member(of: .element(of: .keyPath("songs"), .first), keyPath: "title"), operator: .equal,
            right: .constant(.null))
        #expect(try PredicateTree(first) == PredicateTree(format: "songs[FIRST].title == NULL"))
        #expect(
            try PredicateTree(kind: .compound(.or, [.init(name), .init(first)]))
                == .or([PredicateTree(name), PredicateTree(first)]))
    }

    @Test(
        arguments: [
            .keyPath("a b"), .keyPath("a == 1 OR b"), .keyPath(""), .keyPath("a..b"), .keyPath("$x"),
            .keyPath("'x'"),
            .variable("x y"), .variable(""), .variable("a.b"), .function("selector:", []),
            .function("abs:", []),
            .function("add:to:", [.constant(1)]), .cast(.keyPath("a"), type: "NSObject"),
            .constant(.composite([1])), .element(of: .keyPath("a"), .number(-1)),
            .member(of: .variable("x"), keyPath: "a)"), .subquery(.keyPath("a"), variable: "1 x", .true),
            .subquery(.keyPath("a"), variable: "x", .format("a ==")), .aggregate([.constant(1)]),
            .element(of: .keyPath("a"), .number(.max)), .call(.keyPath("a"), selector: "go", []),
            .aggregate([.keyPath("a"), .aggregate([])]),
        ] as [PredicateTree.Operand])
    func whatNoFormatSaysIsRefused(_ operand: PredicateTree.Operand) {
        #expect(throws: PredicateTreeError.self) {
            try PredicateTree(.init(left: operand, operator: .equal, right: .constant(1)))
        }
    }

    /// Operands put together by hand can be deeper than a stack: they are refused before anything recurses.
    @Test(arguments: [255, 300, 5_000])
    func deepOperandsAreRefused(_ levels: Int) throws {
        let wrappers: [@Sendable (PredicateTree.Operand) -> PredicateTree.Operand] = [
            { .cast($0, type: "NSNumber") }, { .function("abs:", [$0]) }, { .element(of: $0, .first) },
            { .set(.union, $0, .keyPath("a")) },
            { .conditional(.true, $0, .keyPath("a")) }, { .subquery($0, variable: "x", .true) },
            { .member(of: .element(of: $0, .last), keyPath: "b") },
        ]
        for (index, wrapper) in wrappers.enumerated() {
            var operand = PredicateTree.Operand.keyPath("a")
            for _ in 0..<(index == 6 ? levels / 2 : levels) { operand = wrapper(operand) }
            let isDeep = levels > 255
            #expect(operand.description.contains("nested deeper") == isDeep)
            do throws(PredicateTreeError) {
                try PredicateTree.Expression(operand).check()
                #expect(!isDeep, "wrapper \(index)")
            } catch {
                #expect(isDeep && error.code == .tooLarge, "wrapper \(index): \(error)")
            }
        }
    }

    @Test func operandsMustSuitTheirOperator() {
        for (op, right) in [
            (.between, .constant(1)), (.in, .constant(1)), (.equal, .aggregate([.constant(1)])),
        ]
            as [(PredicateTree.Operator, PredicateTree.Operand)]
        {
            #expect(throws: PredicateTreeError.self) {
                try PredicateTree(.init(left: .keyPath("a"), operator: op, right: right))
            }
        }
        #expect(throws: PredicateTreeError.self) { try PredicateTree(kind: .compound(.not, [])) }
        #expect(throws: PredicateTreeError.self) { try PredicateTree(kind: .compound(.not, [.true, .true])) }
        #expect(throws: PredicateTreeError.self) {
            try PredicateTree(kind: .compound(.and, [.format("a ==")]))
        }
        #expect(throws: PredicateTreeError.self) {
            var tree = PredicateTree.true
            for _ in 0...300 { tree = try PredicateTree(kind: .compound(.not, [tree])) }
        }
    }
}

extension PredicateTree {
    /// Puts a tree together from what the public view says of another, to the last operand.
    init(parts tree: PredicateTree) throws {
        switch tree.kind {
        case .comparison(let comparison):
            try self.init(
                Comparison(
                    left: Operand(parts: comparison.left), operator: comparison.operator,
                    right: Operand(parts: comparison.right), modifier: comparison.modifier,
                    options: comparison.options))
        case .compound(let type, let members):
            try self.init(kind: .compound(type, members.map { try PredicateTree(parts: $0) }))
        case .constant(let holds): try self.init(kind: .constant(holds))
        case .invalid(let error): throw error
        }
    }
}

extension PredicateTree.Operand {
    fileprivate init(parts operand: Self) throws {
        func parts(_ operands: [Self]) throws -> [Self] { try operands.map { try Self(parts: $0) } }
        self =
            switch operand {
            case .keyPath(let path): .keyPath(path)
            case .constant(let value): .constant(value)
            case .aggregate(let members): .aggregate(try parts(members))
            case .evaluatedObject: .evaluatedObject
            case .variable(let name): .variable(name)
            case .function(let name, let operands): .function(name, try parts(operands))
            case .cast(let inner, let type): .cast(try Self(parts: inner), type: type)
            case .conditional(let test, let a, let b):
                .conditional(try PredicateTree(parts: test), try Self(parts: a), try Self(parts: b))
            case .member(let base, let path): .member(of: try Self(parts: base), keyPath: path)
            case .subquery(let members, let variable, let condition):
                .subquery(
                    try Self(parts: members), variable: variable, try PredicateTree(parts: condition))
            case .element(let base, let position): .element(of: try Self(parts: base), position)
            case .set(let op, let a, let b): .set(op, try Self(parts: a), try Self(parts: b))
            case .call(let target, let selector, let operands):
                .call(try Self(parts: target), selector: selector, try parts(operands))
            }
    }
}
