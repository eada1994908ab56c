import Foundation
import Howdah
import HowdahTesting
import LocalPostgres
import TestSupport
import Testing

/// A process that lost a COMMIT and is killed: with the token that it left behind, the next one learns the outcome.
@Suite(.needsSession, .serialized) struct KilledAskerTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("text", .string, optional: false)])
        ])
    }

    @Test(.timeLimit(.minutes(60)), arguments: CuttingProxy.Direction.allCases)
    func theNextProcessAsks(direction: CuttingProxy.Direction) async throws {
        try await withTestDatabase(for: Self.model()) { database in
            let proxy = try CuttingProxy(database.url)
            defer { proxy.stop() }
            let (process, input, lines) = try Self.start(proxy.conninfo)
            defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            #expect(await lines.next() == "open")
            // The second save sends nothing that has to be prepared.
            input.write(Data("before\n".utf8))
            #expect(await lines.next() == "stored")
            // Its COMMIT is the sixth message to the server; the answers to the client come in three.
            proxy.arm(direction, direction == .toServer ? 5 : 3, .bothEnds)
            proxy.refuse(true)
            input.write(Data("lost\n".utf8))
            let token = try #require(UUID(uuidString: await lines.next() ?? ""))
            #expect(proxy.disarm())
            await process.killed()

            var options = StoreOptions()
            options.resolvesLostCommits = true
            let container = try await PersistentContainer.open(
                database.url, model: Self.model(), options: options)
            let isStored = try await container.wasStored(token)
            #expect(isStored == (direction == .toClient))
            let texts = try await container.perform { context in
                try context.fetch("Note", sortedBy: .key("text")).map { $0["text"] as? String }
            }
            let lost = ["lost 1", "lost 2"]
            #expect(texts == ["before 1", "before 2"] + (isStored ? lost : []))
            await container.close()
        }
    }

    private static func start(_ url: String) throws -> (Process, FileHandle, LineReader) {
        let process = Process()
        process.executableURL = CrashWriter.program
        process.arguments = [url, "asker"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        return (process, input.fileHandleForWriting, LineReader(output))
    }
}
