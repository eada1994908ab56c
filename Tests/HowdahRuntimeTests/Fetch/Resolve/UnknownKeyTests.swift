import Howdah
import HowdahTesting
import TestSupport
import Testing

/// An unknown key is named before anything else that is wrong, with the name that it has now or where it is.
@Suite struct UnknownKeyTests {
    private static func model() throws -> ManagedObjectModel {
        let size = CompositeDescription(
            "Size", [AttributeDescription("width", .double), AttributeDescription("height", .double)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Being", abstract: true,
                properties: [.attribute("label", .string, renamingIdentifier: "title")],
                renamingIdentifier: "Party"),
            EntityDescription(
                "Person", superentity: "Being",
                properties: [
                    .attribute("salary", .integer32, renamingIdentifier: "pay"),
                    .attribute("size", .composite(size)), .attribute("tags", .array(of: .string)),
                    .relationship("team", to: "Team", inverse: "people", renamingIdentifier: "group"),
                ], renamingIdentifier: "Worker"),
            EntityDescription("Boss", superentity: "Person", properties: [.attribute("budget", .double)]),
            EntityDescription(
                "Team", superentity: "Being",
                properties: [.relationship("people", to: "Person", inverse: "team", toMany: true)]),
        ])
    }

    @Test func theUnknownKeyComesFirst() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                for (entity, format, words) in [
                    ("Person", "salary == 'x' AND salry == 4", "no property 'salry'. Did you mean 'salary'?"),
                    ("Person", "label > 5 OR NOT pay == 4", "no property 'pay'. Use its new name 'salary'."),
                    (
                        "Person", "label LIKE salary AND group.label == 'x'",
                        "'group', which the key path group.label names"
                    ),
                    (
                        "Person", "team.people.salary > 3 AND nothing == 1",
                        "no property 'nothing'. Correct the name."
                    ),
                    ("Person", "tags == 3 AND size.widht > 1", "no element 'widht'"),
                    (
                        "Team", "SUBQUERY(people, $p, $p.label > 5 AND $p.pay > 3).@count > 0",
                        "Use its new name 'salary'."
                    ),
                    (
                        "Team", "people.salary > 3 AND ANY people.budget > 3",
                        "Use its sub-entity Boss, which has that property."
                    ),
                    (
                        "Being", "salary > 3",
                        "Being has no property 'salary'. Use its sub-entity Person, which has that property."
                    ),
                    ("Being", "title == 'a'", "Being has no property 'title'. Use its new name 'label'."),
                    ("Worker", "salary > 3", "no entity 'Worker'. Use its new name 'Person'."),
                ] {
                    var request = FetchRequest<ManagedObject>(entityName: entity)
                    request.predicate = .format(format)
                    let error = #expect(throws: (any Error).self, "\(format)") { try context.fetch(request) }
                    #expect(
                        "\(error.map { "\($0)" } ?? "")".contains(words),
                        "\(format): \(error.map { "\($0)" } ?? "")")
                    context.clearFailure()
                }
                // Without one, what is wrong is said as before.
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = .format("salary == 'x' AND label == 'a'")
                let error = #expect(throws: PredicateTreeError.self) { try context.fetch(request) }
                #expect(error?.code == .argumentType)
            }
        }
    }
}
