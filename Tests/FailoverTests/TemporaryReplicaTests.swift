import Howdah
import HowdahTesting
import TestSupport
import Testing

/// `withTemporaryReplica` and what its servers can do.
@Suite struct TemporaryReplicaTests {
    private func save(_ names: String..., on container: PersistentContainer) async throws {
        try await container.perform { context in
            for name in names {
                Visitor(context: context).name = name
            }
            try context.save()
        }
    }

    private func names(_ container: PersistentContainer) async throws -> [String] {
        try await container.perform { context in
            try context.fetch(Visitor.self).map(\.name).sorted()
        }
    }

    /// Opens the store, on one server or on whichever is the primary.
    private func opened<T>(
        _ url: String, readOnly: Bool = false, _ body: (PersistentContainer) async throws -> T
    ) async throws -> T {
        var options = StoreOptions()
        options.isReadOnly = readOnly
        let container = try await PersistentContainer.open(url, model: Visitor.model(), options: options)
        do {
            let result = try await body(container)
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }

    @Test("A replica has the store, follows its primary and refuses saves")
    func replicaFollows() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            let areReplicas = try await (store.replica.isReplica, store.primary.isReplica)
            #expect(areReplicas == (true, false))
            try await opened(store.primary.url) { try await save("Ada", on: $0) }
            try await store.replica.catchUp(with: store.primary)
            let found = try await opened(store.replica.url, readOnly: true) { try await names($0) }
            #expect(found == ["Ada"])
            let refused = await #expect(throws: (any Error).self) {
                try await opened(store.replica.url) { try await save("Grace", on: $0) }
            }
            #expect(refused != nil)
        }
    }

    @Test("A program with the URL of all servers goes on after a failover")
    func programGoesOn() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            try await opened(store.url) { container in
                try await save("Ada", on: container)
                try await store.replica.catchUp(with: store.primary)
                await store.primary.crash()
                try await store.replica.promote()
                #expect(try await names(container) == ["Ada"])
                try await save("Grace", on: container)
                #expect(try await names(container) == ["Ada", "Grace"])
            }
        }
    }

    @Test("A disconnected replica that is promoted does not have the last saves")
    func tailIsLost() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            try await opened(store.primary.url) { container in
                try await save("Ada", on: container)
                try await store.replica.catchUp(with: store.primary)
                try await store.replica.disconnect()
                try await save("Lost", on: container)
                #expect(try await names(container) == ["Ada", "Lost"])
            }
            await store.primary.crash()
            try await store.replica.promote()
            #expect(try await opened(store.replica.url) { try await names($0) } == ["Ada"])
        }
    }

    @Test("A stopped primary becomes a replica of the promoted one, and a third server follows it")
    func switchover() async throws {
        try await withTemporaryReplica(Visitor.model(), replicas: 2) { store in
            let (old, new, third) = (store.primary, store.replicas[0], store.replicas[1])
            try await opened(old.url) { try await save("Ada", on: $0) }
            await old.stop()
            try await new.promote()
            try await third.follow(new)
            try await old.follow(new)
            try await old.start()
            try await opened(store.url) { try await save("Grace", on: $0) }
            for replica in [old, third] {
                try await replica.catchUp(with: new)
                let isReplica = try await replica.isReplica
                #expect(isReplica)
                #expect(
                    try await opened(replica.url, readOnly: true) { try await names($0) } == ["Ada", "Grace"])
            }
            let another = try await store.addReplica(of: new)
            try await another.catchUp(with: new)
        }
    }

    @Test("A delayed replica is behind until the delay ends")
    func delayedReplica() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            try await store.replica.delayReplay(by: .seconds(60))
            try await opened(store.primary.url) { try await save("Ada", on: $0) }
            try await opened(store.replica.url, readOnly: true) { replica in
                #expect(try await names(replica) == [])
                await #expect(throws: ReplicationError.self) {
                    try await store.replica.catchUp(with: store.primary, within: .milliseconds(100))
                }
                try await store.replica.delayReplay(by: .zero)
                try await store.replica.catchUp(with: store.primary)
                #expect(try await names(replica) == ["Ada"])
            }
        }
    }

    @Test("A copy is the state of now, and takes changes of its own")
    func copyIsRestoredVolume() async throws {
        try await withTemporaryReplica(Visitor.model(), replicas: 0) { store in
            try await opened(store.primary.url) { try await save("Ada", on: $0) }
            let copy = try await store.copy(of: store.primary)
            try await opened(store.primary.url) { try await save("Grace", on: $0) }
            try await opened(copy.url) { container in
                try await save("Joan", on: container)
                #expect(try await names(container) == ["Ada", "Joan"])
            }
            #expect(try await opened(store.primary.url) { try await names($0) } == ["Ada", "Grace"])
        }
    }

    @Test("A crash takes back commits that were not written, and a commit that waits for it survives")
    func crashTakesBack() async throws {
        // The server's own writer would write the commit meanwhile.
        let settings = ["wal_writer_delay": "10s", "synchronous_commit": "off"]
        try await withTemporaryReplica(Visitor.model(), replicas: 0, settings: settings) { store in
            try await opened(store.primary.url) { try await save("Ada", on: $0) }
            try await store.primary.ask(
                "SELECT pg_logical_emit_message(true, '', set_config('synchronous_commit', 'on', true))::text"
            )
            try await opened(store.primary.url) { try await save("Lost", on: $0) }
            await store.primary.crash()
            try await store.primary.start()
            #expect(try await opened(store.primary.url) { try await names($0) } == ["Ada"])
            await store.primary.kill()
            try await store.primary.start()
            #expect(try await opened(store.primary.url) { try await names($0) } == ["Ada"])
            try await opened(store.primary.url) { try await save("Lost", on: $0) }
            try await store.primary.crashSession()
            #expect(try await opened(store.primary.url) { try await names($0) } == ["Ada"])
        }
    }
}
