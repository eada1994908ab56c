import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Arguments inside of SUBQUERY become what they are compared with, as those outside do.
@Suite struct SubqueryArgumentTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Team", properties: [.relationship("people", to: "Person", inverse: "team", toMany: true)]),
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string), .attribute("salary", .integer32),
                    .attribute("rate", .decimal),
                    .attribute("score", .double), .attribute("code", .uuid), .attribute("home", .uri),
                    .attribute("born", .date), .attribute("isBoss", .boolean),
                    .relationship("team", to: "Team", inverse: "people"),
                ]),
        ])
    }

    private static let code = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7))

    private static let conditions: [(format: String, arguments: [any Sendable])] = [
        ("salary == %@", [40.0]), ("salary > %@", [Decimal(39)]),
        ("salary > %@ AND name BEGINSWITH %@", [39, "A"]),
        ("rate == %@", [2]), ("rate == %@", [2.0]), ("score == %@", [1]), ("score == %@", [Decimal(1)]),
        ("code == %@", [code]), ("code == %@", [code.uuidString]), ("home == %@", ["https://example.org/a"]),
        ("born < %@", [Date(timeIntervalSinceReferenceDate: 10)]), ("isBoss == %@", [1]),
        ("isBoss == %@", [true]), ("salary IN %@", [[40, 41]]), ("salary BETWEEN %@", [[39.5, 40.5]]),
        ("code IN %@", [[code.uuidString]]),
    ]

    @Test func argumentsAreConvertedInsideAsOutside() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let teams = (0..<2).map { _ in context.insert("Team") }
                let person = context.insert("Person")
                (person["name"], person["salary"], person["rate"]) = ("Ann", Int32(40), Decimal(2))
                (person["score"], person["code"], person["isBoss"]) = (1.0, Self.code, true)
                person["home"] = URL(string: "https://example.org/a")
                person["born"] = Date(timeIntervalSinceReferenceDate: 5)
                person["team"] = teams[0]
                context.insert("Person")["team"] = teams[1]
                try context.save()
                for (format, arguments) in Self.conditions {
                    var outside = FetchRequest<ManagedObject>(entityName: "Person")
                    outside.predicate = try PredicateTree(format: format, arguments: arguments)
                    #expect(try context.fetch(outside) == [person], "\(format) \(arguments)")
                    let names = ["name", "salary", "rate", "score", "code", "home", "born", "isBoss"]
                    let inner = format.split(separator: " ").map {
                        names.contains(String($0)) ? "$p.\($0)" : String($0)
                    }.joined(separator: " ")
                    let tree = try PredicateTree(
                        format: "SUBQUERY(people, $p, \(inner)).@count > 0", arguments: arguments)
                    var inside = FetchRequest<ManagedObject>(entityName: "Team")
                    inside.predicate = tree
                    #expect(try context.fetch(inside) == [teams[0]], "\(inner) \(arguments)")
                }
                var wrong = FetchRequest<ManagedObject>(entityName: "Team")
                wrong.predicate = .format("SUBQUERY(people, $p, $p.salary > %@).@count > 0", "x")
                let error = #expect(throws: PredicateTreeError.self) { try context.fetch(wrong) }
                #expect(error?.message.contains("Person.salary cannot be compared with a String") == true)
            }
        }
    }
}
