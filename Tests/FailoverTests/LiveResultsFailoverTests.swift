import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Followed results go on over restarts and failovers of the server.
@Suite(.timeLimit(.minutes(60))) struct LiveResultsFailoverTests {
    /// A loop over a result, which keeps the ids that it shows.
    private struct Screen {
        private var iterator: FetchedResults<Visitor>.Iterator
        private var sections: [FetchedResultsSection<Visitor>] = []
        private(set) var snapshots = 0

        init(_ container: PersistentContainer) {
            iterator =
                container.fetchedResults(Visitor.self, sortedBy: .ascending(\.name)).makeAsyncIterator()
        }

        var ids: [ObjectID<Visitor>] { sections.flatMap(\.objectIDs) }

        /// Takes updates until the screen shows these objects. It does not end if one of them is missed.
        mutating func follow(until ids: [ObjectID<Visitor>]) async throws {
            repeat {
                switch try #require(try await iterator.next()) {
                case .snapshot(let all): (sections, snapshots) = (all, snapshots + 1)
                case .changes(let difference): sections.apply(difference)
                }
            } while self.ids != ids
        }
    }

    private func visitors(_ server: ReplicatedServer, _ programs: FailoverPrograms) async throws
        -> [ObjectID<Visitor>]
    {
        try await programs.opened(server) { container in
            try await container.perform { context in
                var request = FetchRequest<Visitor>()
                request.sortDescriptors = [.ascending(\.name)]
                return try context.fetchObjectIDs(request)
            }
        }
    }

    @Test("A result goes on after the server stopped or crashed and was started again")
    func restarts() async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let server = store.primary
            try await programs.save(3, on: server)
            try await programs.opened(server) { container in
                var screen = Screen(container)
                try await screen.follow(until: try await visitors(server, programs))
                for round in 0..<3 {
                    switch round {
                    case 0: await server.stop()
                    case 1: await server.crash()
                    default: await server.kill()
                    }
                    try await server.start()
                    try await programs.save(2, on: server)
                    try await screen.follow(until: try await visitors(server, programs))
                }
                #expect(screen.ids.count == 9)
                #expect(container.changeStreamStatus.failure == nil)
            }
        }
    }

    @Test("A result drops what a failover took back, and shows what came since")
    func lostTail() async throws {
        try await FailoverPrograms.run { programs, store in
            let (old, new) = (store.primary, store.replica)
            try await programs.save(3, on: old)
            try await programs.beat(old)
            let container = try await PersistentContainer.open(
                store.url, model: programs.model, options: programs.options)
            var screen = Screen(container)
            try await screen.follow(until: try await visitors(old, programs))
            try await new.catchUp(with: old)
            try await new.disconnect()
            try await programs.save(20, on: old)
            try await screen.follow(until: try await visitors(old, programs))
            #expect(screen.ids.count == 23 && screen.snapshots == 1)
            await old.crash()
            try await new.promote()
            try await programs.save(4, on: new)
            try await screen.follow(until: try await visitors(new, programs))
            #expect(screen.ids.count == 7 && screen.snapshots > 1)
            try await programs.save(1, on: new)
            try await screen.follow(until: try await visitors(new, programs))
            await container.close(drainingFor: .seconds(5))
        }
    }
}
