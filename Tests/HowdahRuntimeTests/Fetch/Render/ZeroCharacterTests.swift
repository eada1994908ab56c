import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

/// PostgreSQL has no text with U+0000.
@Suite struct ZeroCharacterTests {
    @Test(arguments: [
        "firstName == %@", "firstName != %@", "firstName CONTAINS[cd] %@", "firstName BEGINSWITH %@",
        "firstName LIKE %@", "firstName MATCHES %@", "firstName IN %@", "department.name == %@",
        "ANY projects.title == %@", "firstName BETWEEN {%@, 'z'}",
    ])
    func aComparisonWithItSaysWhere(format: String) async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let text = "nul\0x"
                let tree: PredicateTree =
                    format.contains("IN %@") ? .format(format, ["a", text]) : .format(format, text)
                do {
                    _ = try context.fetch(Employee.self, matching: tree)
                    Issue.record("\(format) was run")
                } catch let error as FetchError {
                    #expect(error.code == .invalidRequest && error.message.contains("U+0000"))
                    let name =
                        format.contains("title") ? "title" : format.contains("dep") ? "name" : "firstName"
                    #expect(error.message.contains(name), "\(error)")
                } catch let error as PredicateTreeError {
                    // MATCHES refuses what is no part of its patterns.
                    #expect(format.contains("MATCHES"), "\(error)")
                }
                // The transaction, and the context, go on.
                #expect(try context.count(Employee.self) == 0)
            }
        }
    }

    @Test(arguments: [
        "payload.b == %@", "payload.b != %@", "payload.b CONTAINS %@", "payload.b IN {%@, 'a'}",
    ])
    func soDoesOneInJSON(format: String) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Box",
                properties: [.attribute("payload", .transformable, userInfo: [MappingKey.jsonb: "true"])])
        ])
        try await withTestStore(model) { container in
            try await container.perform { (context: ManagedObjectContext) throws in
                var request = FetchRequest<ManagedObject>(entityName: "Box")
                request.predicate = .format(format, "nul\0x")
                let error = #expect(throws: FetchError.self) { try context.fetch(request) }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("payload") == true)
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Box")) == 0)
            }
        }
    }
}
