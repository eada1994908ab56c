import DeclaredModels
import Foundation
import Howdah
import HowdahModel
import Testing

@testable import HowdahBrowse

/// The `#Predicate` of a filter. Each expected text is compiled here, and reads back as the filter.
@Suite struct PredicateCodeTests {
    /// Compares the code of a filter with a text of this file, and the compiled predicate with the filter.
    ///
    /// - Parameter readAs: The filter as it is read back, with other words for the same condition.
    private func check(
        _ format: String, _ predicate: Predicate<Employee>, readAs: String? = nil, line: Int = #line
    ) throws {
        let tree = try PredicateTree(format: format)
        let lines = try PredicateCode.lines(
            for: tree, ModelGuide(model: DeclaredCompany.model()), entity: "Employee")
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let end = line - 1
        let compiled = source[(end - lines.count)..<end].joined(separator: "\n")
        #expect(lines.joined(separator: "\n") == compiled)
        let read = try PredicateTree(predicate)
        #expect(try read == PredicateTree(format: readAs ?? format), "\(read)")
    }

    // swift-format-ignore
    @Test func codeReadsBackAsTheFilter() throws {
        do {
            let predicate = #Predicate<Employee> { $0.firstName == "A\"b" && $0.lastName != "x" }
            try check(#"firstName == "A\"b" AND lastName != "x""#, predicate)
        }
        do {
            let predicate = #Predicate<Employee> { $0.salary > 1000 || $0.visits <= 3 }
            try check("salary > 1000 OR visits <= 3", predicate, readAs: "salary > CAST('1000', 'NSDecimalNumber') OR visits <= 3")
        }
        do {
            let value1 = Decimal(string: "12.5") ?? 0
            let predicate = #Predicate<Employee> { $0.salary >= value1 }
            try check("salary >= 12.50", predicate, readAs: "salary >= CAST('12.5', 'NSDecimalNumber')")
        }
        do {
            let predicate = #Predicate<Employee> { $0.department?.name == "Research" && !($0.lastName == nil) }
            try check(#"department.name == "Research" AND NOT lastName == NULL"#, predicate, readAs: #"department.name == "Research" AND lastName != NULL"#)
        }
        do {
            let predicate = #Predicate<Employee> { $0.lastName!.starts(with: "S") && $0.firstName.contains("a") }
            try check(#"lastName BEGINSWITH "S" AND firstName CONTAINS "a""#, predicate)
        }
        do {
            let predicate = #Predicate<Employee> { ($0.department?.budget)! < 100 }
            try check("department.budget < 100", predicate, readAs: "department.budget < CAST('100', 'NSDecimalNumber')")
        }
        do {
            let values1: [String] = ["Ada", "Bob"]
            let predicate = #Predicate<Employee> { values1.contains($0.firstName) }
            try check(#"firstName IN {"Ada", "Bob"}"#, predicate)
        }
        do {
            let value1 = Date(timeIntervalSinceReferenceDate: 788918400)  // 2026-01-01T00:00:00Z
            let predicate = #Predicate<Employee> { $0.hiredAt! >= value1 }
            try check("hiredAt >= CAST(788918400, 'NSDate')", predicate)
        }
        do {
            let predicate = #Predicate<Employee> { $0.hiredAt == nil }
            try check("hiredAt == NULL", predicate)
        }
        do {
            let predicate = #Predicate<Employee> { $0.projects.contains { $0.title == "Apollo" } }
            try check(#"ANY projects.title == "Apollo""#, predicate)
        }
        do {
            let predicate = #Predicate<Employee> { $0.firstName == "a" && ($0.visits == 1 || $0.visits == 2) }
            try check("firstName == \"a\" AND (visits == 1 OR visits == 2)", predicate)
        }
    }

    @Test(arguments: [
        "firstName LIKE \"a*\"", "firstName CONTAINS[c] \"a\"", "ALL projects.title == \"x\"",
        "SUBQUERY(projects, $p, $p.title == \"x\").@count > 1", "entity.name == \"Employee\"",
        "location.latitude > 3", "unknown == 1", "salary == visits", "TRUEPREDICATE",
    ])
    func otherPartsAreNamed(format: String) throws {
        let tree = try PredicateTree(format: format)
        let guide = ModelGuide(model: try DeclaredCompany.model())
        let error = #expect(throws: PredicateCode.Unsupported.self) {
            _ = try PredicateCode.lines(for: tree, guide, entity: "Employee")
        }
        #expect(error?.part == "\(tree)")
    }
}
