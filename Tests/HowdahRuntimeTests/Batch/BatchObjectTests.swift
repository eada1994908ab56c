import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Insertions whose generator fills objects.
@Suite struct BatchObjectTests {
    @Test func everyTypeIsAsASaveStoresIt() async throws {
        try await withTestStore(try ManagedObjectModel(Sample.self)) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 43)
                for _ in 0..<300 { Sample(context: context).fill(&random) }
                try context.save()
                random = RandomValues(seed: 43)
                var count = 0
                container.statementLog.start()
                let request = BatchInsertRequest(Sample.self) { (sample: Sample) in
                    sample.fill(&random)
                    count += 1
                    return count > 300
                }
                #expect(try context.execute(request).count == 300)
                #expect(container.statementLog.count == 1 && !context.hasChanges)
            }
            try await container.perform { context in
                let samples = try context.fetch(Sample.self)
                #expect(samples.count == 600)
                for (saved, inserted) in zip(samples.prefix(300), samples.suffix(300)) {
                    #expect(saved.picture == inserted.picture)
                }
            }
        }
    }

    /// Arrays, enums and JSON, by objects and by dictionaries.
    @Test func kindsOfOurOwnAreAsASaveStoresThem() async throws {
        try await withTestStore(try DeclaredShelves.model()) { container in
            try await container.perform { context in
                var random = RandomValues(seed: 5)
                for number in 0..<200 { Shelf(context: context).fill(number, &random) }
                try context.save()
                random = RandomValues(seed: 5)
                var (number, rows) = (0, [[String: Any]]())
                try context.execute(
                    BatchInsertRequest(Shelf.self) { (shelf: Shelf) in
                        shelf.fill(number, &random)
                        number += 1
                        if number > 200 { return true }
                        rows.append(shelf.row)
                        return false
                    })
                try context.execute(BatchInsertRequest(Shelf.self, objects: rows))
            }
            try await container.perform { context in
                let pictures = try context.fetch(Shelf.self).map { "\($0.row.sorted { $0.key < $1.key })" }
                #expect(pictures.count == 600 && Set(pictures).count > 150)
                #expect(pictures[0..<200] == pictures[200..<400] && pictures[0..<200] == pictures[400..<600])
            }
        }
        try await withTestStore(try DeclaredLetters.model()) { container in
            try await container.perform { context in
                func fill(_ letter: Letter) {
                    letter.subject = "a"
                    (letter.status, letter.urgency, letter.weight) = (.answered, .extreme, .heavy)
                    letter.stamp = LetterStamp(urgency: .high, status: .sent)
                    letter.settings = LetterSettings(theme: "dark", isWide: true, window: .init(width: 3))
                }
                fill(Letter(context: context))
                try context.save()
                var count = 0
                try context.execute(
                    BatchInsertRequest(Letter.self) { (letter: Letter) in
                        fill(letter)
                        count += 1
                        return count > 1
                    })
                try context.execute(
                    BatchInsertRequest(
                        Letter.self,
                        objects: [
                            [
                                "subject": "a", "status": LetterStatus.answered, "basics": LetterSettings(),
                                "urgency": LetterUrgency.extreme, "weight": LetterWeight.heavy,
                                "stamp": LetterStamp(urgency: .high, status: .sent),
                                "settings": LetterSettings(
                                    theme: "dark", isWide: true, window: .init(width: 3)),
                            ]
                        ]))
            }
            try await container.perform { context in
                let letters = try context.fetch(Letter.self)
                #expect(letters.count == 3)
                for letter in letters {
                    #expect(letter.status == .answered && letter.urgency == .extreme)
                    #expect(letter.weight == .heavy && letter.distance == .near)
                    #expect(letter.stamp?.urgency == .high && letter.stamp?.status == .sent)
                    #expect(letter.settings == letters[0].settings && letter.settings?.theme == "dark")
                    #expect(letter.basics == letters[0].basics)
                }
            }
        }
    }

    @Test func kindsOfOurOwnAreSetByUpdates() async throws {
        try await withTestStore(try DeclaredShelves.model()) { container in
            try await container.insert(
                into: Shelf.self, from: [["name": "a", "tags": ["t"]], ["name": "b"]])
            try await container.perform { context in
                let label = ShelfLabel(lines: ["1", "2"], sizes: nil)
                try context.execute(
                    BatchUpdateRequest(
                        Shelf.self,
                        set: [
                            "oTags": .attribute("tags"), "tags": .value(["x", "e\u{301}"]),
                            "decimals": .value([Decimal]()),
                            "label": .value(label), "ints": nil,
                        ]))
                let shelves = try context.fetch(Shelf.self)
                #expect(shelves.map(\.oTags) == [["t"], []] && shelves.allSatisfy { $0.tags == ["x", "é"] })
                #expect(shelves.allSatisfy { $0.decimals.isEmpty && $0.ints == nil })
                #expect(shelves.allSatisfy { $0.label?.lines == ["1", "2"] && $0.label?.sizes == nil })
                for wrong in [BatchUpdateValue.value(["x", 1] as [any Sendable]), .value("x"), nil] {
                    let error = #expect(throws: SaveError.self) {
                        try context.execute(BatchUpdateRequest(Shelf.self, set: ["tags": wrong]))
                    }
                    #expect(error?.issues.first?.propertyName == "tags")
                }
            }
        }
        try await withTestStore(try DeclaredLetters.model()) { container in
            try await container.perform { context in
                let letter = Letter(context: context)
                (letter.subject, letter.weight) = ("a", .heavy)
                letter.stamp = LetterStamp(urgency: .high, status: .sent)
                try context.save()
                let settings = LetterSettings(theme: "dark", isWide: nil, window: nil)
                try context.execute(
                    BatchUpdateRequest(
                        Letter.self,
                        set: [
                            "status": .value(LetterStatus.answered),
                            "stamp.urgency": .value(LetterUrgency.low),
                            "settings": .value(settings), "distance": nil,
                        ]))
                try context.refreshAllObjects()
                #expect(letter.status == .answered && letter.settings == settings && letter.distance == nil)
                #expect(letter.stamp?.urgency == .low && letter.stamp?.status == .sent)
                let error = #expect(throws: SaveError.self) {
                    try context.execute(BatchUpdateRequest(Letter.self, set: ["status": "burnt"]))
                }
                #expect(error?.code == .validation && error?.issues.first?.propertyName == "status")
            }
        }
    }

    @Test func toOneRelationshipsLeadToObjectsOfTheContext() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "d"
                try context.save()
                var names = ["a", "b", "c"]
                var kept: Employee?
                let result = try context.execute(
                    BatchInsertRequest(Employee.self, result: .objectIDs) { (employee: Employee) in
                        guard !names.isEmpty else { return true }
                        employee.firstName = names.removeFirst()
                        employee.department = employee.firstName == "c" ? nil : department
                        #expect(employee.salary == 0 && employee.projects.isEmpty)
                        kept = employee
                        return false
                    })
                #expect(!context.hasChanges && kept?.firstName == "c")
                let people = try context.fetch(Employee.self, sortedBy: .key("firstName"))
                #expect(people.map(\.objectID) == result.objectIDs)
                #expect(people.map { $0.department === department } == [true, true, false])
                // One that was never saved has no key to lead to.
                let unsaved = Department(context: context)
                var isDone = false
                let error = #expect(throws: SaveError.self) {
                    try context.execute(
                        BatchInsertRequest(Employee.self) { (employee: Employee) in
                            defer { isDone = true }
                            (employee.firstName, employee.department) = ("d", unsaved)
                            return isDone
                        })
                }
                #expect(error?.issues.first?.propertyName == "department" && error?.issues.first?.row == 1)
                context.delete(unsaved)
                try #expect(context.count(Employee.self) == 3)
            }
        }
    }

    @Test func withAPolicyARowNamesWhatWasSet() async throws {
        try await withTestStore(Company.model()) { container in
            try await container.perform { context in
                let department = Department(context: context)
                (department.name, department.budget) = ("a", 7)
                try context.save()
                var names = ["a", "b"]
                let request = BatchInsertRequest(
                    Department.self, uniqueness: .mergeByPropertyObjectTrump
                ) { (department: Department) in
                    guard !names.isEmpty else { return true }
                    department.name = names.removeFirst()
                    return false
                }
                let result = try context.execute(request)
                #expect(result.insertedCount == 1 && result.updatedCount == 1)
                try context.refreshAllObjects()
                #expect(department.budget == 7)
                // Without a rule that rows could break there is nothing to decide.
                context.mergePolicy = .mergeByPropertyObjectTrump
                var count = 0
                let people = BatchInsertRequest(Employee.self) { (employee: Employee) in
                    count += 1
                    return count > 1
                }
                try context.execute(people)
                try #expect(context.fetch(Employee.self).map(\.firstName) == [""])
            }
        }
    }

    @Test func entitiesMayBeNamed() async throws {
        try await withTestStore(DeclaredStaff.model()) { container in
            try await container.perform { context in
                var count = 0
                let result = try context.execute(
                    BatchInsertRequest(DeclaredModels.Worker.self, entityName: "Boss", result: .objectIDs) {
                        (worker: DeclaredModels.Worker) in
                        (worker.name, worker.wage) = ("b", 3)
                        #expect(worker is DeclaredModels.Boss)
                        count += 1
                        return count > 1
                    })
                #expect(result.objectIDs.map(\.entityName) == ["Boss"])
                expect(.unknownEntity) {
                    try context.execute(
                        BatchInsertRequest(ManagedObject.self, entityName: "Bos") { (_: ManagedObject) in true
                        })
                }
                expect(.invalidRequest) {
                    try context.execute(
                        BatchInsertRequest(DeclaredModels.Boss.self, entityName: "Person") {
                            (_: DeclaredModels.Boss) in false
                        })
                }
                // Without a class, by names.
                count = 0
                try context.execute(
                    BatchInsertRequest(ManagedObject.self, entityName: "Worker") { (worker: ManagedObject) in
                        worker["name"] = "w"
                        worker["wage"] = 4
                        count += 1
                        return count > 1
                    })
                try #expect(context.fetch(DeclaredModels.Worker.self).map(\.wage) == [3, 4])
            }
        }
    }
}

extension Shelf {
    fileprivate var row: [String: Any] {
        let names = (Self.entity?.properties ?? []).map(\.name).filter { $0 != "members" }
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in value(forKey: name).map { (name, $0) } })
    }
}
