import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Saves of one object with new values of attributes, which skip the stages that other saves need.
@Suite struct SoleUpdateTests {
    /// Two equal rows get the same values. One is saved without the stages, the other with them, because its context
    /// has a child. Rows, versions, history and objects must agree.
    @Test(arguments: UInt64(1)...TestTier.choose(quick: 2, all: 6, nightly: 30))
    func savesWhatAllStagesSave(seed: UInt64) async throws {
        try await withHistory(ManagedObjectModel(Sample.self)) { container, sql in
            var random = SeededGenerator(seed: seed)
            let ids = try await container.perform { context in
                let samples = [Sample(context: context), Sample(context: context)]
                for sample in samples {
                    var values = RandomValues(seed: seed)
                    sample.fill(&values)
                }
                try context.save()
                return samples.map(\.objectID)
            }
            for step in 0..<40 {
                let names = Sample.attributeNames.filter { _ in random.chance(15) }
                let valuesSeed = random.next()
                let isolation: Isolation? = random.chance(30) ? .readCommitted : nil
                let before = try sql.history().last?.number ?? 0
                var rows: [String?] = []
                for id in ids {
                    try await container.perform(isolation: isolation) { context in
                        let child = id == ids[0] ? nil : context.newChildContext()
                        let sample = try context.existingObject(with: id)
                        // Its values are not stored: it belongs to another context.
                        let scratch = ManagedObjectContext(store: context.store)
                        let donor = Sample(context: scratch)
                        var values = RandomValues(seed: valuesSeed)
                        donor.fill(&values)
                        for name in names { sample[name] = donor[name] }
                        #expect(
                            try Self.isSole(context) == (child == nil && !sample.changedValues().isEmpty))
                        try context.save()
                        #expect(!context.hasChanges && !sample.hasChanges)
                        let fresh = try sql.value("SELECT _version::text FROM sample WHERE _id = \(id.key)")
                        #expect(isolation != nil || fresh == "\(sample.version)")
                        withExtendedLifetime(child) {}
                    }
                    rows.append(
                        try sql.value(
                            "SELECT (to_jsonb(s) - '_id')::text FROM sample s WHERE _id = \(id.key)"))
                }
                let place = "seed \(seed), step \(step), \(names)"
                #expect(rows[0] == rows[1], "\(place)")
                let history = try sql.history(after: before)
                #expect(Set(history.map(\.properties)).count <= 1, "\(place), \(history)")
                #expect(history.flatMap(\.ids) == (history.isEmpty ? [] : ids.map(\.key)), "\(place)")
            }
        }
    }

    /// Returns a Boolean value that indicates whether the next save would skip the stages.
    private static func isSole(_ context: ManagedObjectContext) throws -> Bool {
        SoleUpdate(try context.freezeChanges(), in: context) != nil
    }

    private typealias Change = @Sendable (ManagedObjectContext, Employee) throws -> Void

    /// Each condition under which a save needs the stages.
    @Test func otherSavesNeedTheStages() async throws {
        try await withTestStore(Company.model()) { container in
            let (ada, other) = try await container.perform { context in
                let (ada, other) = (Employee(context: context), Employee(context: context))
                (ada.firstName, other.firstName) = ("Ada", "Grace")
                ada.department = Department(context: context)
                ada.department?.name = "Sales"
                try context.save()
                return (ada.objectID, other.objectID)
            }
            let sole: [Change] = [
                { $1.visits += 1 },
                { _, employee in
                    employee.visits += 1
                    employee.location = nil
                    employee.lastName = "Lovelace"
                },
            ]
            let others: [Change] = [
                { $1.visits += 0 },
                { $1.department = nil },
                { try $0.existingObject(with: other).department = $1.department },
                { context, employee in
                    employee.visits += 1
                    try context.existingObject(with: other).visits += 1
                },
                { context, employee in
                    employee.visits += 1
                    context.delete(try context.existingObject(with: other))
                },
                { context, employee in
                    employee.visits += 1
                    Employee(context: context).firstName = "New"
                },
                { context, employee in
                    employee.visits += 1
                    context.detectConflicts(for: try context.existingObject(with: other))
                },
                { context, employee in
                    employee.visits += 1
                    Project(context: context).members.insert(employee)
                },
                { context, employee in
                    employee.visits += 1
                    context.mergePolicy = .mergeByPropertyObjectTrump
                },
            ]
            for (index, change) in (sole + others).enumerated() {
                try await container.perform { context in
                    try change(context, try context.existingObject(with: ada))
                    #expect(try Self.isSole(context) == (index < sole.count), "case \(index)")
                    context.rollback()
                }
            }
        }
    }

    /// The token of a save is written if the row was updated, and not otherwise.
    @Test func tokenIsWrittenWithTheRowOnly() async throws {
        var options = StoreOptions()
        options.resolvesLostCommits = true
        try await withStore(Company.model(), options: options) { container, sql in
            let id = try await container.perform { context in
                let ada = Employee(context: context)
                ada.firstName = "Ada"
                try context.save()
                return ada.objectID
            }
            let tokens = "SELECT count(*)::text FROM _howdah_save"
            let before = try sql.value(tokens)
            try await container.perform { context in
                let ada = try context.existingObject(with: id)
                ada.visits = 1
                try sql.script("UPDATE employee SET _version = _version + 1")
                let error = saveError { try context.save() }
                #expect(error?.code == .conflict)
                #expect(try sql.value(tokens) == before)
                try context.refresh(ada, mergeChanges: true)
                try context.save()
            }
            #expect(try sql.value(tokens) == before.flatMap { Int($0) }.map { "\($0 + 1)" })
            #expect(try sql.value("SELECT visits::text FROM employee") == "1")
        }
    }
}
