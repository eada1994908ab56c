import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The object that the generator of a batch insertion fills is no part of the context, and a program can keep it.
@Suite struct KeptObjectTests {
    nonisolated(nonsending)
        private func withKept(_ body: @escaping @Sendable (ManagedObjectContext, [Department]) throws -> Void)
        async throws
    {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                var kept: [Department] = []
                let request = BatchInsertRequest(Department.self) { (department: Department) in
                    department.name = "D\(kept.count)"
                    kept.append(department)
                    return kept.count > 2
                }
                #expect(try context.execute(request).count == 2)
                try body(context, kept)
            }
        }
    }

    @Test func itsValuesCanBeRead() async throws {
        try await withKept { context, kept in
            #expect(kept.map(\.name) == ["D0", "D1", "D2"])
            #expect(
                kept.allSatisfy {
                    $0.managedObjectContext == nil && $0.head == nil && $0.employees.count == 0
                })
            #expect(kept[0].changedValues().isEmpty && !kept[0].hasChanges)
        }
    }

    @Test func changingItFailsTheContext() async throws {
        let changes: [@Sendable (Department, ManagedObjectContext) -> Void] = [
            { department, _ in department.name = "other" }, { department, _ in department["budget"] = 5 },
            { department, context in department.head = Employee(context: context) },
            { department, context in department.employees.insert(Employee(context: context)) },
            { department, context in Employee(context: context).department = department },
            { department, context in context.delete(department) },
            { department, context in context.detectConflicts(for: department) },
        ]
        for (number, change) in changes.enumerated() {
            await #expect(throws: FetchError.self, "\(number)") {
                try await self.withKept { context, kept in change(kept[0], context) }
            }
        }
    }

    /// It holds nothing of a context that ended.
    @MainActor @Test func itOutlivesItsContainer() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let container = try await PersistentContainer.open(database.url, model: Company.model())
            var kept: [Department] = []
            let request = BatchInsertRequest(Department.self) { (department: Department) in
                department.name = "D\(kept.count)"
                kept.append(department)
                return kept.count > 1
            }
            try container.viewContext.execute(request)
            await container.close(drainingFor: .seconds(1))
            #expect(kept.map(\.name) == ["D0", "D1"] && kept[0].managedObjectContext == nil)
            #expect(kept[0].head == nil && kept[0].employees.count == 0 && kept[0]["budget"] as? Decimal == 0)
        }
    }
}
