import Foundation
import Testing

@testable import HowdahModel

/// What each part of a `#Predicate` becomes, without a model or a server.
@Suite struct LoweringTests {
    private func tree(_ predicate: Predicate<Worker>) throws -> PredicateTree {
        try PredicateTree(predicate, naming: Worker.naming)
    }

    private func expect(
        _ predicate: Predicate<Worker>, _ format: String, _ location: SourceLocation = #_sourceLocation
    ) {
        do {
            let tree = try tree(predicate)
            #expect(tree.description == format, sourceLocation: location)
            #expect(try PredicateTree(format: format) == tree, sourceLocation: location)
            #expect(try PredicateTree(parts: tree) == tree, sourceLocation: location)
        } catch {
            Issue.record(error, sourceLocation: location)
        }
    }

    private func expectError(
        _ predicate: Predicate<Worker>, _ code: PredicateTreeError.Code, _ part: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(sourceLocation: location) {
            try tree(predicate)
        } throws: { error in
            guard let error = error as? PredicateTreeError else { return false }
            return error.code == code && error.message.contains(part)
        }
    }

    @Test func comparisons() {
        expect(#Predicate { $0.age == 3 }, "age == 3")
        expect(#Predicate { $0.age != 3 }, "age != 3")
        expect(#Predicate { $0.age < 3 }, "age < 3")
        expect(#Predicate { $0.age <= 3 }, "age <= 3")
        expect(#Predicate { $0.age > 3 }, "age > 3")
        expect(#Predicate { $0.age >= 3 }, "age >= 3")
        expect(#Predicate { 3 == $0.age }, "age == 3")
        expect(#Predicate { 3 != $0.age }, "age != 3")
        expect(#Predicate { 3 < $0.age }, "age > 3")
        expect(#Predicate { 3 <= $0.age }, "age >= 3")
        expect(#Predicate { 3 > $0.age }, "age < 3")
        expect(#Predicate { 3 >= $0.age }, "age <= 3")
        expect(#Predicate { $0.name == $0.home.name }, "name == home.name")
        expect(#Predicate { $0.home.width > 2.5 }, "home.width > 2.5")
        let level = Level.high
        expect(#Predicate { $0.level == level }, "level == 2")
    }

    @Test func logic() {
        expect(
            #Predicate { $0.age > 1 && $0.age < 5 || $0.name == "x" },
            "(age > 1 AND age < 5) OR name == 'x'")
        expect(#Predicate { !($0.age > 1 && $0.isActive) }, "NOT (age > 1 AND isActive == TRUE)")
        expect(#Predicate { $0.isActive }, "isActive == TRUE")
        expect(#Predicate { !$0.isActive }, "NOT isActive == TRUE")
        expect(#Predicate { $0.isActive == false }, "isActive == FALSE")
        expect(
            #Predicate { ($0.age > 3) == $0.isActive },
            "(age > 3 AND isActive == TRUE) OR (NOT age > 3 AND NOT isActive == TRUE AND isActive != NULL)")
        expect(#Predicate { _ in true }, "TRUEPREDICATE")
        expect(
            #Predicate { $0.isActive ? $0.age > 3 : $0.age > 5 },
            "(isActive == TRUE AND age > 3) OR (NOT isActive == TRUE AND age > 5)")
    }

    @Test func nilAndOptionals() {
        let none: String? = nil
        let some: String? = "x"
        expect(#Predicate { $0.nick == nil }, "nick == NULL")
        expect(#Predicate { $0.nick != nil }, "nick != NULL")
        expect(#Predicate { !($0.nick == nil) }, "nick != NULL")
        expect(#Predicate { $0.nick == none }, "nick == NULL")
        expect(#Predicate { $0.nick == some }, "nick == 'x'")
        expect(#Predicate { $0.nick != "x" }, "nick != 'x'")
        expect(#Predicate { $0.boss?.name == "x" }, "boss.name == 'x'")
        expect(#Predicate { $0.boss?.boss?.nick != nil }, "boss.boss.nick != NULL")
        expect(#Predicate { $0.place?.width == 2 }, "place.width == 2.0")
        expect(#Predicate { $0.nick == $0.boss?.name }, "nick == boss.name")
        expect(#Predicate { ($0.nick ?? "a") == "x" }, "nick == 'x'")
        expect(#Predicate { ($0.nick ?? "x") == "x" }, "nick == 'x' OR nick == NULL")
        expect(#Predicate { ($0.nick ?? $0.name) == "x" }, "nick == 'x' OR (nick == NULL AND name == 'x')")
        expect(#Predicate { ($0.boss?.age ?? 0) > 3 }, "boss.age > 3")
        expect(#Predicate { ($0.boss?.age ?? 4) > 3 }, "boss.age > 3 OR boss.age == NULL")
        expect(#Predicate { $0.flag ?? false }, "flag == TRUE")
        expect(#Predicate { $0.flag ?? true }, "flag == TRUE OR flag == NULL")
        expect(#Predicate { $0.boss!.age > 3 }, "boss.age > 3")
        expect(#Predicate { $0.boss.flatMap { $0.age > 3 } ?? false }, "boss.age > 3")
        expect(
            #Predicate { $0.boss.flatMap { $0.nick != "x" } ?? false }, "boss != NULL AND boss.nick != 'x'")
        expect(
            #Predicate { $0.boss.flatMap { $0.nick != "x" } ?? true },
            "(boss != NULL AND boss.nick != 'x') OR boss == NULL")
        expect(
            #Predicate { if let boss = $0.boss { boss.age > 3 } else { true } },
            "boss.age > 3 OR boss == NULL")
    }

    @Test func capturedValuesAreFolded() {
        let (limit, isOpen) = (Int?.some(3), true)
        let (low, names) = (2, ["a", "b"])
        expect(#Predicate { limit == nil || $0.age > limit! }, "age > 3")
        expect(#Predicate { $0.age > low * 2 + 1 }, "age > 5")
        expect(#Predicate { isOpen && $0.age > low }, "age > 2")
        expect(#Predicate { !isOpen && $0.age > low }, "FALSEPREDICATE")
        expect(#Predicate { isOpen ? $0.age > 1 : $0.age > 2 }, "age > 1")
        expect(#Predicate { $0.age > (limit ?? 0) }, "age > 3")
        expect(#Predicate { $0.age == names.count }, "age == 2")
        expect(#Predicate { worker in names.contains { $0 == worker.name } }, "name == 'a' OR name == 'b'")
        expect(
            #Predicate { worker in names.allSatisfy { $0 != worker.name && $0 != "z" } },
            "name != 'a' AND name != 'b'")
        expect(#Predicate { worker in names.contains { $0 == "b" || worker.isActive } }, "TRUEPREDICATE")
        let none: [String] = []
        expect(#Predicate { worker in none.allSatisfy { $0 == worker.name } }, "TRUEPREDICATE")
        let many = Array(0...10_000)
        expectError(#Predicate { worker in many.contains { $0 == worker.age } }, .tooLarge, "10000")
        let nothing: Int? = nil
        expect(#Predicate { $0.isActive && $0.age > nothing! }, "isActive == TRUE AND age > NULL")
    }

    @Test func membershipAndRanges() {
        let names: Set = ["a"]
        let optionals = ["a", nil]
        expect(#Predicate { names.contains($0.name) }, "name IN {'a'}")
        expect(#Predicate { !["a", "b"].contains($0.name) }, "NOT name IN {'a', 'b'}")
        expect(#Predicate { optionals.contains($0.nick) }, "nick IN {'a', NULL}")
        expect(#Predicate { names.contains($0.nick ?? "a") }, "nick IN {'a'} OR nick == NULL")
        expect(#Predicate { (1...3).contains($0.age) }, "age BETWEEN {1, 3}")
        expect(#Predicate { (1..<3).contains($0.age) }, "age >= 1 AND age < 3")
        let (closed, open, from, through, upTo) = (1...3, 1..<3, 1..., ...3, ..<3)
        expect(#Predicate { closed.contains($0.age) }, "age BETWEEN {1, 3}")
        expect(#Predicate { open.contains($0.age) }, "age >= 1 AND age < 3")
        expect(#Predicate { from.contains($0.age) }, "age >= 1")
        expect(#Predicate { through.contains($0.age) }, "age <= 3")
        expect(#Predicate { upTo.contains($0.age) }, "age < 3")
        expect(#Predicate { ($0.age..<9).contains(5) }, "age <= 5")
        expect(
            #Predicate { (1...3).contains($0.boss.flatMap { $0.age } ?? 9) },
            "boss.age BETWEEN {1, 3}")
    }

    @Test func strings() {
        expect(#Predicate { $0.name.contains("x") }, "name CONTAINS 'x'")
        expect(#Predicate { "xyz".contains($0.name) }, "name IN 'xyz'")
        expect(#Predicate { $0.name.starts(with: "x") }, "name BEGINSWITH 'x'")
        expect(#Predicate { $0.name.contains($0.home.name) }, "name CONTAINS home.name")
        expect(#Predicate { $0.name.isEmpty }, "name == ''")
        expect(#Predicate { $0.nick?.contains("x") ?? false }, "nick CONTAINS 'x'")
        expect(#Predicate { $0.nick?.contains("x") == true }, "nick CONTAINS 'x'")
        expect(
            #Predicate { $0.nick?.contains("x") != true }, "NOT nick CONTAINS 'x'")
        expect(
            #Predicate { $0.nick?.contains("x") == false },
            "NOT nick CONTAINS 'x' AND nick != NULL")
        expect(#Predicate { $0.nick?.contains("x") == nil }, "nick == NULL")
    }

    @Test func members() {
        expect(#Predicate { $0.team.contains { $0.age > 3 } }, "ANY team.age > 3")
        expect(#Predicate { $0.team.contains { !($0.age > 3) } }, "NOT ALL team.age > 3")
        expect(#Predicate { $0.team.allSatisfy { $0.boss?.name == "x" } }, "ALL team.boss.name == 'x'")
        expect(
            #Predicate { $0.team.contains { $0.age > 3 || $0.isActive } },
            "ANY team.age > 3 OR ANY team.isActive == TRUE")
        expect(
            #Predicate { $0.team.allSatisfy { $0.age > 3 && $0.isActive } },
            "ALL team.age > 3 AND ALL team.isActive == TRUE")
        expect(#Predicate { $0.team.filter { $0.age > 3 }.isEmpty }, "NOT ANY team.age > 3")
        expect(#Predicate { $0.team.contains { ($0.nick ?? "") == "x" } }, "ANY team.nick == 'x'")
        expect(
            #Predicate { $0.boss.flatMap { $0.team.contains { $0.age > 3 } } ?? false },
            "ANY boss.team.age > 3")
        expect(
            #Predicate { $0.boss.flatMap { $0.team.allSatisfy { $0.age > 3 } } ?? false },
            "boss != NULL AND ALL boss.team.age > 3")
    }

    @Test func closuresThatNeedTheMemberTwice() {
        expect(
            #Predicate { $0.team.contains { $0.age > 3 && $0.isActive } },
            "SUBQUERY(team, $m1, $m1.age > 3 AND $m1.isActive == TRUE).@count > 0")
        expect(
            #Predicate { $0.team.allSatisfy { $0.age > 3 || $0.nick == nil } },
            "SUBQUERY(team, $m1, NOT ($m1.age > 3 OR $m1.nick == NULL)).@count == 0")
        expect(
            #Predicate { worker in worker.team.contains { $0.age > worker.age } },
            "SUBQUERY(team, $m1, $m1.age > age).@count > 0")
        expect(
            #Predicate { $0.team.contains { $0.age > $0.boss!.age } },
            "SUBQUERY(team, $m1, $m1.age > $m1.boss.age).@count > 0")
        expect(
            #Predicate { $0.team.contains { $0.team.contains { $0.age > 3 } } },
            "SUBQUERY(team, $m1, ANY $m1.team.age > 3).@count > 0")
        expect(
            #Predicate { worker in
                worker.team.contains { one in one.team.contains { $0.age > one.age && $0.age < worker.age } }
            },
            "SUBQUERY(team, $m1, SUBQUERY($m1.team, $m2, $m2.age > $m1.age AND $m2.age < age).@count > 0).@count > 0"
        )
        expect(
            #Predicate { $0.team.filter { $0.isActive }.count > 2 },
            "SUBQUERY(team, $m1, $m1.isActive == TRUE).@count > 2")
        expect(
            #Predicate { $0.team.filter { $0.age > 3 && $0.isActive }.isEmpty },
            "NOT SUBQUERY(team, $m1, $m1.age > 3 AND $m1.isActive == TRUE).@count > 0")
        expect(
            #Predicate { $0.team.contains { ($0.nick ?? $0.name) == "x" } },
            "SUBQUERY(team, $m1, $m1.nick == 'x' OR ($m1.nick == NULL AND $m1.name == 'x')).@count > 0")
    }

    @Test func arithmetic() {
        let low = 2
        expect(#Predicate { $0.age * 2 > 3 }, "age * 2 > 3")
        expect(#Predicate { 3 < $0.age / 2 }, "age / 2 > 3")
        expect(#Predicate { $0.age % 2 == 0 }, "modulus:by:(age, 2) == 0")
        expect(#Predicate { -$0.age > 3 }, "-(age) > 3")
        expect(#Predicate { $0.home.width / 2 > 0.5 }, "home.width / 2.0 > 0.5")
        expect(#Predicate { ($0.age + low * 2) * $0.age == $0.age }, "(age + 4) * age == age")
        expect(#Predicate { $0.name.count > 3 }, "length:(name) > 3")
        expect(#Predicate { ($0.nick?.count ?? 0) > 3 }, "length:(nick) > 3")
        expect(
            #Predicate { ($0.boss?.age ?? 1) + 1 > 3 }, "boss.age + 1 > 3")
        expect(#Predicate { "xyz".starts(with: $0.name) }, "'xyz' BEGINSWITH name")
    }

    @Test func whatCannotBeRunIsNamed() {
        let home = Home(name: "x", width: 1)
        expectError(#Predicate { $0.shout == "X" }, .unknownKey, "computed")
        expectError(#Predicate { $0.home == home }, .argumentType, "Home")
    }
}
