import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct KeyValueTests {
    @Test func dictionariesOfValuesAreReadAndSet() async throws {
        try await withTestStore(Company.model()) { container in
            let id = try await container.perform { context in
                let employee = Employee(context: context)
                employee.setValuesForKeys([
                    "firstName": "Ada", "lastName": NSNull(), "visits": 3, "location": nil,
                ])
                try context.save()
                return employee.objectID
            }
            try await container.perform { context in
                let employee = try context.existingObject(with: id)
                let values = employee.dictionaryWithValues(forKeys: ["firstName", "lastName", "visits"])
                #expect(values.count == 3)
                #expect(values["firstName"] as? String == "Ada" && values["visits"] as? Int64 == 3)
                #expect(values.keys.contains("lastName") && values["lastName"]! == nil)
                #expect(employee.dictionaryWithValues(forKeys: []).isEmpty)
                // What one object has, another one takes.
                let copy = Employee(context: context)
                copy.setValuesForKeys(values)
                #expect((copy.firstName, copy.visits) == ("Ada", 3) && copy.lastName == nil)
                try context.save()
            }
        }
    }

    @Test func dictionariesWithWrongNamesFailTheContext() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let employee = Employee(context: context)
                employee.setValuesForKeys(["firstName": "Ada", "frstName": "x", "visits": "many"])
                #expect(employee.firstName == "Ada")
                #expect("\(context.failure ?? CancellationError())".contains("frstName"))
                context.clearFailure()
                #expect(employee.dictionaryWithValues(forKeys: ["firstNam"]).keys.sorted() == ["firstNam"])
                #expect((context.failure as? FetchError)?.code == .invalidRequest)
                context.clearFailure()
            }
        }
    }

    @Test func keyPathsLeadAcrossRelationshipsAndIntoComposites() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = context.insert("Department")
                department["name"] = "R"
                let employees = (0..<3).map { number in
                    let employee = context.insert("Employee")
                    employee["firstName"] = "E\(number)"
                    employee["department"] = department
                    return employee
                }
                employees[0].setValue(["latitude": 1.5, "longitude": 2], forKey: "location")
                #expect(employees[0].value(forKey: "location.latitude") as? Double == 1.5)
                #expect((employees[0] as? Employee)?.location == Location(latitude: 1.5, longitude: 2))
                employees[0].setValue(7, forKey: "location.longitude")
                #expect((employees[0] as? Employee)?.location == Location(latitude: 1.5, longitude: 7))
                #expect(employees[1].value(forKey: "location.latitude") == nil)
                #expect(employees[2].value(forKey: "department.name") as? String == "R")
                let names = department.value(forKey: "employees.firstName") as? [Any?]
                #expect(names?.compactMap { $0 as? String } == ["E0", "E1", "E2"])
                #expect(department.members(forKey: "employees").count == 3)
                department.setValue([employees[1]], forKey: "employees")
                #expect(employees[0]["department"] == nil)
                #expect(department.value(forKey: "employees") as? [ManagedObject] == [employees[1]])
                employees[0]["location"] = nil
                #expect((employees[0] as? Employee)?.location == nil)
                try context.save()
                #expect(employees[1].value(forKey: "department") as? ManagedObject === department)
            }
        }
    }

    @Test func aPathIsSetAtItsEnd() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = context.insert("Department")
                let employee = context.insert("Employee")
                employee["firstName"] = "E"
                employee.setValue("lost", forKey: "department.name")
                employee["department"] = department
                employee.setValue("R", forKey: "department.name")
                #expect(department["name"] as? String == "R")
                department["head"] = employee
                employee.setValue(nil, forKey: "department.head")
                #expect(employee["department"] as? ManagedObject === department)
                #expect(department["head"] == nil)
                try context.save()
            }
        }
    }

    @Test func aPathThatLeadsNowhereFailsTheContext() async throws {
        await #expect(throws: FetchError.self) {
            try await withTestStore(Company.model()) { container in
                _ = try await container.perform { context in
                    "\(context.insert("Employee").value(forKey: "firstName.length") ?? "")"
                }
            }
        }
    }

    @Test func newObjectsBeginWithTheirDefaults() async throws {
        let when = Date(timeIntervalSinceReferenceDate: 5.5)
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("count", .integer16, optional: false, default: 7),
                    .attribute("name", .string, default: "e\u{301}"),
                    .attribute("price", .decimal, default: 0.1), .attribute("ratio", .float, default: 0.5),
                    .attribute("when", .date, default: .date(when)),
                    .attribute("isOn", .boolean, default: true),
                    .attribute("note", .string),
                    .attribute("scratch", .integer64, default: 3, transient: true),
                    .attribute(
                        "spot", .composite(Spot.compositeDescription),
                        default: .composite([.double(1), .null])),
                ])
        ])
        try await withTestStore(model) { container in
            let expected: [String: Value] = [
                "count": 7, "name": "\u{e9}", "price": .decimal(Decimal(string: "0.1") ?? 0),
                "ratio": .float(0.5),
                "when": .date(when), "isOn": true, "note": .null, "spot": .composite([.double(1), .null]),
            ]
            let check = { @Sendable (object: ManagedObject, place: String) in
                for (index, property) in (model["Thing"]?.properties ?? []).enumerated()
                where property.name != "scratch" {
                    let found = object._value(at: index).picture
                    #expect(found == expected[property.name].map(\.picture), "\(property.name) \(place)")
                }
            }
            try await container.perform { context in
                let object = context.insert("Thing")
                check(object, "when made")
                #expect(object["scratch"] as? Int64 == 3)
                try context.save()
                object["scratch"] = 4
                try context.save()
                #expect(object["scratch"] as? Int64 == 4)
            }
            try await container.perform { context in
                let object = try #require(try context.fetch("Thing").first)
                check(object, "when fetched")
                #expect(object["scratch"] as? Int64 == 3, "the model's default, as nothing is stored")
                object["scratch"] = 5
                try context.refresh(object, mergeChanges: true)
                #expect(object["count"] as? Int64 == 7 && object["scratch"] as? Int64 == 5)
            }
        }
    }

    @Test func moreThan64PropertiesAreTracked() async throws {
        let model = try ManagedObjectModel(Wide.self)
        try await withTestStore(model) { container in
            try await container.perform { context in
                let objects = (0..<3).map { _ in Wide(context: context) }
                for object in objects { for slot in 0..<Wide.width { object[slot] = slot } }
                try context.save()
                #expect(objects.allSatisfy { !$0.hasChanges })
                objects[0][3] = -1
                objects[0][69] = -2
                objects[1][70] = -3
                objects[2][71] = -4
                #expect(objects[0].changedPropertyNames == ["p3", "p69"])
                #expect(objects[1].changedPropertyNames == ["p70"])
                objects[1].setValue(-5, forKey: "p70")
                #expect(objects[1].changedPropertyNames == ["p70"])
                try context.save()
                #expect(objects.allSatisfy { !$0.hasChanges && $0.changedPropertyNames.isEmpty })
                objects[2][79] = 1
                context.rollback()
                #expect(objects[2][79] == 79)
            }
            try await container.perform { context in
                let found = try context.fetch(Wide.self).map { object in (0..<Wide.width).map { object[$0] } }
                var expected = Array(repeating: Array(0..<Wide.width), count: 3)
                expected[0][3] = -1
                expected[0][69] = -2
                expected[1][70] = -5
                expected[2][71] = -4
                #expect(found == expected)
            }
        }
    }
}
