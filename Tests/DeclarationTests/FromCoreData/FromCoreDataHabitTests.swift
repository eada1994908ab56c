import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The names that Core Data's programs use, against a server.
@Suite struct FromCoreDataHabitTests {
    @Test func modelsEntitiesAndRequests() async throws {
        try await FromCoreDataTests.withShop { container, _ in
            try await container.perform { context in
                #expect(context.managedObjectModel == container.managedObjectModel)
                #expect(context.managedObjectModel["Branch"] != nil)
                let branch = Branch(context: context)
                branch.name = "Noodles"
                #expect(branch.entity == container.managedObjectModel["Branch"])
                #expect(branch.entity.name == branch.entityName)
                try context.save()
                #expect((branch as ManagedObject).entity.name == Branch.entity?.name)
                let request = Branch.fetchRequest()
                #expect(try context.fetch(request) == [branch])
                var noodles = Branch.fetchRequest()
                noodles.predicate = try PredicateTree(format: "name == %@ AND rating < %d", "Noodles", 1)
                #expect(try context.fetch(noodles) == [branch])
                noodles.predicate = try PredicateTree(format: "name == %@", "Rice")
                #expect(try context.count(for: noodles) == 0)
                #expect(throws: PredicateTreeError.self) { try PredicateTree(format: "name == %@") }
            }
        }
    }

    @Test func idsOfOneRowAreEqual() async throws {
        try await FromCoreDataTests.withShop { container, _ in
            try await container.perform { context in
                let (branch, other) = (Branch(context: context), Branch(context: context))
                (branch.name, other.name) = ("Noodles", "Rice")
                try context.save()
                let anyID = (branch as ManagedObject).objectID
                #expect(branch.objectID == anyID && anyID == branch.objectID && other.objectID != anyID)
                #expect(
                    [anyID].contains { $0 == branch.objectID } && ![anyID].contains { $0 == other.objectID })
                #expect(branch.objectID.uriRepresentation() == anyID.uriRepresentation)
                #expect(ObjectID<Branch>(uriRepresentation: anyID.uriRepresentation()) == branch.objectID)
            }
        }
    }

    @Test func rowsOfOneColumnCompareInPlace() async throws {
        try await FromCoreDataTests.withShop { container, _ in
            try await container.perform { context in
                #expect(
                    try context.fetchRows(Int64.self, sql: "SELECT n::int8 FROM generate_series(1, 2) AS n")
                        == [1, 2])
                #expect(try context.fetchRows(String?.self, sql: "SELECT NULL::text") == [nil])
                #expect(try Set(context.fetchRows(Int.self, sql: "SELECT 7")).contains(7))
                let isEmpty = try context.fetchRows(Int64.self, sql: "SELECT 1::int8 WHERE false") == []
                #expect(isEmpty)
            }
        }
    }
}
