import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct FetchRequestTests {
    @Test func sortsLimitsAndCounts() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                for (number, name) in [nil, "b", "a", nil, "B", "é", "b", "😀"].enumerated() {
                    let employee = Employee(context: context)
                    employee.firstName = "\(number)"
                    employee.lastName = name
                }
                try context.save()
                let order = { (keys: SortKey<Employee>...) in
                    var request = FetchRequest<Employee>()
                    request.sortDescriptors = keys
                    return try context.fetch(request).map(\.firstName).joined()
                }
                #expect(try order(.key("lastName")) == "03421657")
                #expect(try order(.key("lastName", ascending: false)) == "75162403")
                #expect(try order() == "01234567")
                let keys = [SortKey<Employee>.descending(\.lastName), .key("firstName")]
                let reversed = keys.map(\.reversed)
                #expect(try order(reversed[0], reversed[1]) == String(order(keys[0], keys[1]).reversed()))
                #expect(reversed.map(\.reversed) == keys && reversed.map(\.isAscending) == [true, false])
                for (limit, offset) in [(3, 0), (3, 2), (0, 5), (100, 7), (2, 100)] {
                    var request = FetchRequest<Employee>()
                    request.sortDescriptors = [.key("firstName", ascending: false)]
                    (request.fetchLimit, request.fetchOffset) = (limit, offset)
                    let expected = Array((0..<8).reversed().dropFirst(offset).prefix(limit == 0 ? 8 : limit))
                        .map(String.init)
                    #expect(try context.fetch(request).map(\.firstName) == expected)
                    #expect(try context.count(for: request) == expected.count)
                }
                var request = FetchRequest<Employee>()
                request.fetchLimit = -1
                expect(.invalidRequest) { try context.fetch(request) }
                expect(.unknownEntity) { try context.fetch("Employe") }
                expect(.invalidRequest) {
                    try context.fetch(FetchRequest<Employee>(entityName: "Department"))
                }
                #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")).count == 8)
            }
        }
    }

    @Test(arguments: [
        "firstName ==[l] 'a'", "firstName MATCHES '(?=a)a'", "firstName MATCHES[c] 'a{300}'",
        "firstName <[cl] 'a'",
    ])
    func whatTheDatabaseCannotCompareIsRefusedOrRight(format: String) async throws {
        try await withTestStore(Company.model()) { container in
            try await Company.fill(container, departments: 1, employees: 1)
            try await container.perform { context in
                #expect { _ = try context.fetch(Employee.self, matching: .format(format)) } throws: { error in
                    (error as? PredicateTreeError)?.code == .unsupported
                        && ["database", "PostgreSQL", "MATCHES does not support"].contains {
                            "\(error)".contains($0)
                        }
                }
                #expect(context.failure == nil)
                let all = try context.fetch(Employee.self)
                #expect(all.count == 1)
            }
        }
    }
}
