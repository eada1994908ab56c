import Howdah
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Followed results with values of their objects, for servers that forward them.
@Suite(.timeLimit(.minutes(60))) struct FetchedResultsValuesTests {
    @Test func updatesComeWithTheValuesOfTheirObjects() async throws {
        try await LiveStore.with(try School.model) { store in
            var request = FetchRequest<ManagedObject>(entityName: "Prefect")
            request.sortDescriptors = [.key("badge", ascending: true)]
            let results = store.container.fetchedResults(request)
            var loop = results.values(of: "badge", "team.motto", .property("name", as: "objectID"))
                .makeAsyncIterator()
            let first = try #require(try await loop.next())
            #expect(first.values.isEmpty)
            let (prefect, team) = try await store.other.perform { context in
                let (prefect, team) = (context.insert("Prefect"), context.insert("Team"))
                (prefect["badge"], prefect["name"], prefect["team"]) = (Int64(7), "a", team)
                team["motto"] = "m"
                try context.save()
                return (prefect.objectID, team.objectID)
            }
            let second = try #require(try await loop.next())
            #expect(second.values.keys.map(\.self) == [prefect])
            #expect(second.values[prefect]?["badge"] as? Int64 == 7)
            #expect(second.values[prefect]?["team.motto"] as? String == "m")
            #expect(second.values[prefect]?["objectID"] as? String == "a")
            // A value at the end of a path is followed, too.
            try await store.other.perform { context in
                try context.existingObject(with: team)["motto"] = "n"
                try context.save()
            }
            let third = try #require(try await loop.next())
            guard case .changes(let difference) = third.update,
                case .update(prefect, _, _)? = difference.rows.first
            else {
                Issue.record("\(third.update)")
                return
            }
            #expect(third.values[prefect]?["team.motto"] as? String == "n")
            try await store.other.perform { context in
                context.delete(try context.existingObject(with: prefect))
                try context.save()
            }
            #expect(try await loop.next()?.values.isEmpty == true)
        }
    }

    @Test(arguments: ["nothing", "team.nothing", "", "team..motto"])
    func wrongColumnsAreErrorsOfTheFirstUpdate(column: String) async throws {
        try await LiveStore.with(try School.model) { store in
            let results = store.container.fetchedResults(FetchRequest<ManagedObject>(entityName: "Pupil"))
            await #expect(throws: (any Error).self) {
                for try await _ in results.values(of: .property(column)) { return }
            }
            await #expect(throws: FetchError.self) {
                for try await _ in results.values(of: .count()) { return }
            }
            #expect(store.container.changeStreamStatus.followers == 0)
        }
    }
}
