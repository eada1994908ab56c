import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct FirstStepsTests {
    @Test func aSavedObjectIsFetchedEqual() async throws {
        try await withTestStore(Company.model()) { container in
            let hired = Date(timeIntervalSince1970: 1_700_000_000.123_456)
            let id = try await container.perform { context in
                let research = Department(context: context)
                research.name = "Research"
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                ada.salary = Decimal(string: "1234.56") ?? 0
                ada.hiredAt = hired
                ada.location = Location(latitude: 51.5, longitude: -0.1)
                ada.department = research
                #expect(Array(research.employees) == [ada])
                #expect(ada.objectID.isTemporaryID)
                try context.save()
                #expect(!ada.objectID.isTemporaryID)
                #expect(!context.hasChanges)
                return ada.objectID
            }
            try await container.perform { context in
                let found = try context.fetch(
                    Employee.self,
                    matching: .format("department.name == %@ AND location.latitude > %f", "Research", 50.0))
                let ada = try #require(found.first)
                #expect(found.count == 1)
                #expect(ada.objectID == id)
                #expect(ada.firstName == "Ada")
                #expect(ada.lastName == nil)
                #expect(ada.salary == Decimal(string: "1234.56"))
                #expect(ada.hiredAt == hired._stored)
                #expect(ada.location == Location(latitude: 51.5, longitude: -0.1))
                #expect(ada.department?.name == "Research")
                #expect(ada.department?.employees.count == 1)
                let again: Employee = try context.existingObject(with: id)
                #expect(again === ada)
            }
        }
    }
}
