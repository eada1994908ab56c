import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Entity final class Parcel: ManagedObject {
    var title: String = ""
    var state: String = "underway"
}

/// The examples of `docs/live-results.md`, which stand between the marks here, compile.
@Suite(.timeLimit(.minutes(60))) struct LiveResultsGuideTests {
    private func first(_ container: PersistentContainer) async throws {
        // snippet
        let results = container.fetchedResults(
            Parcel.self, where: #Predicate { $0.state == "underway" }, sortedBy: .ascending(\.title))
        var sections: [FetchedResultsSection<Parcel>] = []
        for try await update in results {
            switch update {
            case .snapshot(let all): sections = all
            case .changes(let difference): sections.apply(difference)
            }
            print(sections.flatMap(\.objectIDs).count, "parcels underway")
        }
        // end
    }

    private func second(_ container: PersistentContainer) async throws {
        // snippet
        for try await update in container.fetchedResults(
            Parcel.self, sortedBy: .ascending(\.title), limit: 50)
        {
            let titles = try await container.perform { context in
                try context.objects(of: update).mapValues(\.title)
            }
            guard case .changes(let difference) = update else { continue }
            for change in difference.rows {
                switch change {
                case .delete(_, let place): print("remove row", place.row)
                case .insert(let id, let place): print("insert", titles[id] ?? "", "at", place.row)
                case .move(_, let former, let place, _): print("move row", former.row, "to", place.row)
                case .update(let id, _, let properties):
                    print("show again", titles[id] ?? "", properties?.sorted() ?? [])
                }
            }
        }
        // end
    }

    private func third(_ container: PersistentContainer) async throws {
        // snippet
        let byState = container.fetchedResults(
            Parcel.self, sortedBy: .ascending(\.state), .ascending(\.title), sectionedBy: \.state)
        for try await update in byState {
            guard case .changes(let difference) = update else { continue }
            for section in difference.sections {
                switch section {
                case .delete(let name, let place): print("remove section", name, place)
                case .insert(let name, let place): print("insert section", name, place)
                }
            }
        }
        // end
    }

    private func fourth(_ container: PersistentContainer) async throws {
        // snippet
        let all = container.fetchedResults(Parcel.self, sortedBy: .ascending(\.title))
        for try await element in all.values(of: "title", "state") {
            print(element.update, element.values.values.map { $0["title"] as? String ?? "" })
        }
        // end
    }

    @Test func aStoreWithoutHistoryRefusesThem() async throws {
        try await withTemporaryStore(ManagedObjectModel(Parcel.self)) { container in
            for example in [
                { try await first(container) }, { try await second(container) },
                { try await third(container) }, { try await fourth(container) },
            ] {
                await #expect { try await example() } throws: { ($0 as? HistoryError)?.code == .noHistory }
            }
        }
    }

    @Test @MainActor func theListFollowsItsContext() async throws {
        try await withTemporaryStore(ManagedObjectModel(Parcel.self)) { container in
            let list = try ParcelList(container.viewContext)
            Parcel(context: container.viewContext).title = "a"
            container.viewContext.processPendingChanges()
            try container.viewContext.save()
            withExtendedLifetime(list) {}
        }
    }

    @Test func theGuideHasTheseExamples() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/live-results.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begins = lines.indices.filter { lines[$0].hasSuffix("// snippet") && !lines[$0].contains("\"") }
        #expect(begins.count == 5)
        for begin in begins {
            let indentation = lines[begin].prefix { $0 == " " }.count
            let end = try #require(lines[begin...].firstIndex { $0.hasSuffix("// end") })
            let example = lines[(begin + 1)..<end].map { $0.dropFirst(indentation) }.joined(separator: "\n")
            #expect(guide.contains("```swift\n" + example + "\n```"), "\(example)")
        }
    }
}

// snippet
@MainActor final class ParcelList: @MainActor FetchedResultsControllerDelegate {
    private let controller: FetchedResultsController<Parcel>

    init(_ context: ManagedObjectContext) throws {
        var request = Parcel.fetchRequest()
        request.sortDescriptors = [.ascending(\.state), .ascending(\.title)]
        controller = FetchedResultsController(request, in: context, sectionNameKeyPath: "state")
        controller.delegate = self
        try controller.performFetch()
    }

    func controller(
        _ controller: FetchedResultsController<Parcel>, didChange parcel: Parcel,
        at indexPath: ResultIndexPath?, for type: FetchedResultsChangeType,
        newIndexPath: ResultIndexPath?
    ) {
        print(type, indexPath?.row ?? -1, newIndexPath?.row ?? -1)
    }
}
// end
