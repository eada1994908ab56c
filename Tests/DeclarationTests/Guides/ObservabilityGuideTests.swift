import Foundation
import Howdah
import HowdahTesting
import Synchronization
import TestSupport
import Testing

/// The example of `docs/observability.md`, compiled and run.
@Suite struct ObservabilityGuideTests {
    // snippet
    @Entity final class Ticket: ManagedObject {
        var title: String
        @Relationship(inverse: "tickets") var project: Project?
    }

    @Entity final class Project: ManagedObject {
        var name: String
        @Relationship(inverse: "project") var tickets: ToMany<Ticket>
    }

    /// Counts saves that had to run again.
    final class RetryCounter: StoreObserver {
        let retries = Atomic<Int>(0)

        func observe(_ event: StoreEvent) {
            switch event {
            case .retry(let retry) where retry.work == .save: retries.add(1, ordering: .relaxed)
            default: break
            }
        }
    }

    private static func options(observedBy observers: any StoreObserver...) -> StoreOptions {
        var options = StoreOptions()
        options.observer = StoreObservers(observers)
        return options
    }

    private static func list(in container: PersistentContainer) async throws -> [String] {
        container.statistics.start()
        let lines = try await container.perform { context in
            let request = FetchRequest<Ticket>().tagged("ticket list")
            return try context.fetch(request).map { "\($0.title) in \($0.project?.name ?? "none")" }
        }
        print(container.statistics.report)
        return lines
    }
    // end

    @Test func theExampleRuns() async throws {
        let counter = RetryCounter()
        try await withTemporaryStore(
            ManagedObjectModel(Ticket.self, Project.self), options: Self.options(observedBy: counter)
        ) { container in
            try await container.perform { context in
                for number in 0..<9 {
                    let project = Project(context: context)
                    project.name = "P\(number)"
                    let ticket = Ticket(context: context)
                    ticket.title = "T"
                    ticket.project = project
                }
                try context.save()
            }
            let lines = try await Self.list(in: container)
            #expect(lines.count == 9 && lines.contains("T in P8"))
            let report = container.statistics.report
            #expect(report.sites.map(\.roundTrips) == [2])
            #expect(report.sites[0].name.hasPrefix("ticket list DeclarationTests/"))
            #expect(report.cohortLoads.map(\.objects) == [9])
            // The outcome of another test: a save that conflicts runs again.
            let id = try await container.perform { try $0.fetch(Ticket.self)[0].objectID }
            try await container.perform { context in
                context.mergePolicy = .mergeByPropertyObjectTrump
                let ticket = try context.existingObject(with: id)
                ticket.title = "mine"
                _ = try context.fetchRows(sql: "UPDATE ticket SET _version = _version + 1")
                try context.save()
            }
            #expect(counter.retries.load(ordering: .relaxed) == 1)
        }
    }

    @Test func theGuideHasThisExample() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/observability.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" // snippet") })
        let end = try #require(lines.firstIndex { $0.hasSuffix(" // end") })
        let example = lines[(begin + 1)..<end].map {
            $0.dropFirst(4).replacing("private static func", with: "func")
        }.joined(separator: "\n")
        #expect(guide.contains(example + "\n```"))
    }
}
