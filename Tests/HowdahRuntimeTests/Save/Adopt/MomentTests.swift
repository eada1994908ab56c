import Foundation
import Howdah
import HowdahModel
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// `now()` is the moment of the save that wrote the row last.
@Suite struct MomentTests {
    @Test func everySaveOfAnObjectMovesItsMoment() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let before = Date().addingTimeInterval(-0.001)
                let (one, two) = (context.insert("Department"), context.insert("Department"))
                (one["name"], two["name"]) = ("1", "2")
                let employee = context.insert("Employee")
                employee["name"] = "Ada"
                employee["department"] = two
                try context.save()
                let first = try #require(one["changedAt"] as? Date)
                #expect(first > before && first < Date().addingTimeInterval(0.001))
                #expect(two["changedAt"] as? Date == first)
                let stamp = try #require(employee["stamp"] as? Double)
                #expect(abs(stamp - first.timeIntervalSinceReferenceDate) < 0.000_001)

                one["budget"] = 1
                try context.save()
                let second = try #require(one["changedAt"] as? Date)
                #expect(second > first && two["changedAt"] as? Date == first)
                context.refresh(one)
                #expect(one["changedAt"] as? Date == second)

                // Setting a value to itself writes nothing, so there is no moment.
                one["budget"] = 1
                try context.save()
                #expect(one["changedAt"] as? Date == second)

                // A row that loses its destination by a delete rule is written too.
                context.delete(two)
                try context.save()
                let third = try #require(employee["stamp"] as? Double)
                #expect(third > stamp && employee["department"] == nil)
                context.refresh(employee)
                #expect(employee["stamp"] as? Double == third)
                #expect(try sql.value("SELECT stamp::text FROM employee") == "\(third)")
            }
        }
    }

    @Test("A batch deletion moves the moments of rows that lose their destination", arguments: [false, true])
    func batchDeletionsMoveMoments(history: Bool) async throws {
        var options = StoreOptions()
        options.history = history ? .enabled : .asStored
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Folder",
                properties: [
                    .relationship("notes", to: "Note", inverse: "folder", toMany: true, deleteRule: .nullify)
                ]),
            EntityDescription(
                "Note",
                properties: [
                    .attribute("number", .integer64, default: 0),
                    .attribute("seconds", .double, derivation: "now()"),
                    .relationship("folder", to: "Folder", inverse: "notes"),
                ]),
            EntityDescription(
                "Memo", superentity: "Note", properties: [.attribute("date", .date, derivation: "now()")]),
        ])
        try await withStore(model, options: options) { container, sql in
            try await container.perform { context in
                let folder = context.insert("Folder")
                for (number, name) in ["Note", "Memo", "Memo"].enumerated() {
                    let note = context.insert(name)
                    note["number"] = number
                    if number < 2 { note["folder"] = folder }
                }
                try context.save()
                let before = Date()
                try context.execute(BatchDeleteRequest(FetchRequest<ManagedObject>(entityName: "Folder")))
                context.reset()
                let request = FetchRequest<ManagedObject>(entityName: "Note")
                for note in try context.fetch(request) {
                    let isCleared = note["number"] as? Int64 != 2
                    let moments = [note["seconds"] as? Double].map {
                        $0.map(Date.init(timeIntervalSinceReferenceDate:))
                    }
                    let dates = note.entityName == "Memo" ? moments + [note["date"] as? Date] : moments
                    for date in dates {
                        let date = try #require(date)
                        #expect((date > before.addingTimeInterval(-0.001)) == isCleared, "\(note)")
                    }
                }
            }
            let wrong = "SELECT count(*)::text FROM note WHERE _entity = 'Note' AND memo_date IS NOT NULL"
            #expect(try sql.value(wrong) == "0")
        }
    }

    @Test func aFailedSaveLeavesTheMomentAlone() async throws {
        try await withStore(DerivedModel.model()) { container, sql in
            try await container.perform { context in
                let department = context.insert("Department")
                department["name"] = "1"
                try context.save()
                let first = department["changedAt"] as? Date
                try sql.rows("UPDATE department SET _version = 9")
                department["name"] = "2"
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .conflict)
                // What the other one's save computed is no reason.
                #expect(error.conflicts.map(\.properties) == [[]])
                #expect(department["changedAt"] as? Date == first)
                #expect(department["key"] as? String == "1")
            }
        }
    }
}
