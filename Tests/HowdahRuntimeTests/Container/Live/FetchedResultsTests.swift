import Foundation
import Howdah
import TestSupport
import Testing

@testable import HowdahRuntime

/// Followed results: the whole, and then the changes of other processes.
@Suite(.timeLimit(.minutes(60))) struct FetchedResultsTests {
    private func hire(_ container: PersistentContainer, _ names: [String], visits: Int = 0) async throws
        -> [ObjectID<Employee>]
    {
        try await container.perform { context in
            let people = names.map { name in
                let employee = Employee(context: context)
                (employee.firstName, employee.visits) = (name, visits)
                return employee
            }
            try context.save()
            return people.map(\.objectID)
        }
    }

    private func change(
        _ container: PersistentContainer, _ id: ObjectID<Employee>,
        _ body: @escaping @Sendable (Employee) -> Void
    ) async throws {
        try await container.perform { context in
            body(try context.existingObject(with: id))
            try context.save()
        }
    }

    @Test func changesOfAnotherProcessAreDifferences() async throws {
        try await LiveStore.with { store in
            let ids = try await hire(store.other, ["b", "d"])
            var replay = Replay(
                store.container.fetchedResults(
                    Employee.self, where: #Predicate { $0.visits < 10 }, sortedBy: .ascending(\.firstName)))
            guard case .snapshot? = try await replay.catchUp() else {
                Issue.record("The first update is the whole result.")
                return
            }
            #expect(replay.ids == ids)
            #expect(try await replay.catchUp() == nil)
            let c = try await hire(store.other, ["c"])[0]
            #expect(
                try await replay.changes()?.rows == [.insert(c, at: ResultIndexPath(section: 0, row: 1))])
            try await change(store.other, ids[0]) { $0.firstName = "e" }
            #expect(
                try await replay.changes()?.rows == [
                    .move(
                        ids[0], from: ResultIndexPath(section: 0, row: 0),
                        to: ResultIndexPath(section: 0, row: 2), changedProperties: ["firstName"])
                ])
            try await change(store.other, c) { $0.lastName = "x" }
            #expect(
                try await replay.changes()?.rows == [
                    .update(c, at: ResultIndexPath(section: 0, row: 0), changedProperties: ["lastName"])
                ])
            try await change(store.other, c) { $0.visits = 20 }
            #expect(
                try await replay.changes()?.rows == [.delete(c, at: ResultIndexPath(section: 0, row: 0))])
            try await change(store.other, c) { $0.visits = 30 }
            #expect(try await replay.catchUp() == nil)
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: ids[1]))
                try context.save()
            }
            #expect(
                try await replay.changes()?.rows
                    == [.delete(ids[1], at: ResultIndexPath(section: 0, row: 0))])
            #expect(replay.ids == [ids[0]])
        }
    }

    @Test func aLoopIsWokenByOtherProcesses() async throws {
        try await LiveStore.with { store in
            let results = store.container.fetchedResults(Employee.self, sortedBy: .ascending(\.firstName))
            let loop = Task {
                var (sections, counts): ([FetchedResultsSection<Employee>], [Int]) = ([], [])
                for try await update in results {
                    switch update {
                    case .snapshot(let all): sections = all
                    case .changes(let difference): sections.apply(difference)
                    }
                    let brought = try await store.container.perform { try $0.objects(of: update).count }
                    counts.append(brought)
                    if sections.flatMap(\.objectIDs).count == 3 { return counts }
                }
                return counts
            }
            try await Task.sleep(for: .milliseconds(50))
            _ = try await hire(store.other, ["a"])
            _ = try await hire(store.container, ["b"])
            _ = try await hire(store.other, ["c"])
            #expect(try await loop.value.reduce(0, +) == 3)
        }
    }

    @Test func aLoopEndsWithItsContainerAndItsTask() async throws {
        try await LiveStore.with { store in
            let results = store.other.fetchedResults(Employee.self)
            let loop = Task { for try await _ in results {} }
            let cancelled = Task { for try await _ in results {} }
            try await Task.sleep(for: .milliseconds(100))
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            await store.other.close()
            try await loop.value
        }
    }

    @Test func sectionsFollow() async throws {
        try await LiveStore.with { store in
            let ids = try await hire(store.other, ["a", "b"], visits: 1)
            var replay = Replay(
                store.container.fetchedResults(
                    Employee.self, sortedBy: .ascending(\.visits), .ascending(\.firstName),
                    sectionedBy: \.visits))
            try await replay.catchUp()
            #expect(replay.sections == [FetchedResultsSection(name: "1", objectIDs: ids)])
            try await change(store.other, ids[0]) { $0.visits = 2 }
            let moved = try await replay.changes()
            #expect(moved?.sections == [.insert("2", at: 1)])
            #expect(
                moved?.rows == [
                    .move(
                        ids[0], from: ResultIndexPath(section: 0, row: 0),
                        to: ResultIndexPath(section: 1, row: 0), changedProperties: ["visits"])
                ])
            try await store.other.perform { context in
                for id in ids { context.delete(try context.existingObject(with: id)) }
                try context.save()
            }
            #expect(try await replay.changes()?.sections == [.delete("1", at: 0), .delete("2", at: 1)])
            #expect(replay.sections == [])
        }
    }

    @Test func limitsAreRefilled() async throws {
        try await LiveStore.with { store in
            let ids = try await hire(store.other, (0..<40).map { String(format: "%02d", $0) })
            var replay = Replay(
                store.container.fetchedResults(
                    Employee.self, sortedBy: .ascending(\.firstName), limit: 4))
            try await replay.catchUp()
            #expect(replay.ids == Array(ids[..<4]))
            for number in 0..<30 {
                let id = ids[number]
                try await store.other.perform { context in
                    context.delete(try context.existingObject(with: id))
                    try context.save()
                }
                try await replay.catchUp()
                #expect(replay.ids == Array(ids[(number + 1)..<(number + 5)]))
            }
            let first = try await hire(store.other, ["00"])[0]
            let change = try await replay.changes()
            #expect(
                change?.rows == [
                    .delete(ids[33], at: ResultIndexPath(section: 0, row: 3)),
                    .insert(first, at: ResultIndexPath(section: 0, row: 0)),
                ])
            try await change2(store.other, first)
            try await replay.catchUp()
            #expect(replay.ids == Array(ids[30..<34]))
        }
    }

    private func change2(_ container: PersistentContainer, _ id: ObjectID<Employee>) async throws {
        try await change(container, id) { $0.firstName = "99" }
    }

    @Test func otherRowsMatter() async throws {
        try await LiveStore.with { store in
            let (research, ids) = try await store.other.perform { context in
                let department = Department(context: context)
                department.name = "Research"
                let people = ["a", "b"].map { name in
                    let employee = Employee(context: context)
                    employee.firstName = name
                    return employee
                }
                people[0].department = department
                try context.save()
                return (department.objectID, people.map(\.objectID))
            }
            var member = Replay(
                store.container.fetchedResults(
                    Employee.self, where: #Predicate { $0.department?.name == "Research" }))
            var crowd = Replay(
                store.container.fetchedResults(
                    Department.self, matching: .format("employees.@count > 1")))
            var request = FetchRequest<Employee>()
            request.sortDescriptors = [.key("department.name", ascending: false)]
            var sorted = Replay(store.container.fetchedResults(request))
            for _ in 0..<1 {
                try await member.catchUp()
                try await crowd.catchUp()
                try await sorted.catchUp()
            }
            #expect(member.ids == [ids[0]] && crowd.ids == [] && sorted.ids == ids)
            try await store.other.perform { context in
                try context.existingObject(with: ids[1]).department = context.existingObject(with: research)
                try context.save()
            }
            #expect(try await member.changes()?.rows.count == 1)
            #expect(try await crowd.changes()?.rows.count == 1)
            try await sorted.catchUp()
            try await store.other.perform { context in
                try context.existingObject(with: research).name = "Sales"
                try context.save()
            }
            #expect(try await member.changes()?.rows.count == 2)
            #expect(member.ids == [])
            let shown = try await sorted.changes()
            #expect(
                shown?.rows
                    == ids.enumerated().map { place, id in
                        .update(
                            id, at: ResultIndexPath(section: 0, row: place), changedProperties: ["department"]
                        )
                    })
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: research))
                try context.save()
            }
            #expect(try await crowd.changes()?.rows.count == 1)
        }
    }

    @Test func requestsThatCannotBeFollowedAreRefused() async throws {
        try await LiveStore.with { store in
            func code(
                _ part: String, sectionedBy: String? = nil,
                _ change: (inout FetchRequest<Employee>) -> Void
            ) async {
                var request = FetchRequest<Employee>()
                change(&request)
                var iterator = store.container.fetchedResults(request, sectionedBy: sectionedBy)
                    .makeAsyncIterator()
                let error = await #expect(throws: FetchError.self) { _ = try await iterator.next() }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains(part) == true, "\(part): \(error?.message ?? "")")
            }
            await code("fetchOffset") { $0.fetchOffset = 1 }
            await code("rowLock") { $0.rowLock = .update }
            await code("TextSearch") { $0.search = TextSearch("a", in: "firstName", language: "english") }
            await code("resultType") { $0.resultType = .dictionaries }
            await code("propertiesToGroupBy") { $0.propertiesToGroupBy = ["firstName"] }
            await code("$who") { $0.predicate = .format("firstName == $who") }
            await code("now()") { $0.predicate = .format("hiredAt < now()") }
            await code("first sort key", sectionedBy: "visits") {
                $0.sortDescriptors = [.key("firstName")]
            }
            await code("relationship", sectionedBy: "department") {
                $0.sortDescriptors = [.key("department")]
            }
            await code("does not name sections", sectionedBy: "location") {
                $0.sortDescriptors = [.key("location")]
            }
        }
    }

    @Test func storesWithoutHistoryAreRefused() async throws {
        try await CompanyStore.with { store in
            var iterator = store.container.fetchedResults(Employee.self).makeAsyncIterator()
            await #expect {
                _ = try await iterator.next()
            } throws: { ($0 as? HistoryError)?.code == .noHistory }
        }
    }
}
