import Foundation
import Howdah
import HowdahModelFile
import HowdahTesting
import Testing

@testable import Tracker

extension TrackerTests {
    @Suite struct DeployTests {
        private static let package = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        private static let bundle = package.appending(path: "Sources/Tracker/Model/Tracker.xcdatamodeld")

        @Test("The store is migrated from version 1 to 3 under load, and the old program continues")
        func migration() async throws {
            let model = try ManagedObjectModel(contentsOf: Self.bundle, version: "Tracker")
            try await withTemporaryDatabase(for: model, options: TrackerApp.options) { database in
                let old = try await OldProgram(database.url, model)
                let load = Task { try await old.addIssues() }
                try await wait("The old program does nothing.") { await old.count > 20 }
                try Self.run("howdah migrate apply --plan Plan/tracker.yaml --defer", database.url)
                let (migrated, principal) = (await old.count, old.principal)
                try await wait("The old program stopped.") { await old.count > migrated + 20 }

                let server = try await ServerProcess.serve(database.url)
                let token = try await Tokens(secret: ServerProcess.secret).token(for: principal)
                let client = Client(server, token: token)
                let list = try await client.get(
                    "/projects/OLD/issues?where=status%20%3D%3D%20%27active%27&limit=1")
                let issue = try #require(try list.decoded(Page<IssueDocument>.self).items.first)
                let answer = try await client.send(
                    "PATCH", "/issues/\(issue.id)", ["title": "Of the new program"],
                    ["If-Match": "\"\(issue.version ?? "")\""])
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try await client.send("PUT", "/issues/\(issue.id)/watchers/me").status == 204)
                #expect(try await old.title(of: issue.number) == "Of the new program")

                await old.stop()
                try await load.value
                try Self.run("howdah migrate finish", database.url)
                #expect(try await client.get("/projects/OLD").json["issueCount"] as? Int == old.count)
                #expect(try await client.get("/readyz").status == 200)
                try await server.stop()
            }
        }

        @Test("The commands of compose.yaml and of the workflow migrate a store")
        func commands() async throws {
            let model = try ManagedObjectModel(contentsOf: Self.bundle, version: "Tracker 2")
            try await withTemporaryDatabase(for: model) { database in
                try await withTemporaryDatabase(for: model) { copy in
                    for file in [".github/workflows/deploy.yml", "compose.yaml"] {
                        let commands = try Self.commands(of: file)
                        #expect(commands.count >= 2, "\(file)")
                        for command in commands { try Self.run(command, database.url, copy: copy.url) }
                    }
                }
                let container = try await PersistentContainer.open(
                    database.url, model: .tracker, options: TrackerApp.options)
                await container.close()
            }
        }

        /// The lines that migrate, as a shell reads them.
        private static func commands(of file: String) throws -> [String] {
            let text = try String(contentsOf: package.appending(path: file), encoding: .utf8)
            return text.split(separator: "\n").compactMap { line in
                guard !line.contains("#"),
                    let start = ["[howdah, ", "howdah migrate"].compactMap({ line.firstRange(of: $0) })
                        .first
                else { return nil }
                let command = line[start.lowerBound...]
                return command.hasPrefix("[") ? command.filter { !"[],".contains($0) } : String(command)
            }
        }

        /// Runs a command in the folder of the package, with the tool that is built beside the tests:
        /// `swift build --product howdah`.
        private static func run(_ command: String, _ database: String, copy: String = "") throws {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command]
            process.currentDirectoryURL = package
            let tools = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path
            process.environment = ProcessInfo.processInfo.environment.merging([
                "PATH": "\(tools):\(ProcessInfo.processInfo.environment["PATH"] ?? "")",
                "HOWDAH_DATABASE": database, "COPY": copy,
            ]) { $1 }
            let output = Pipe()
            (process.standardOutput, process.standardError) = (output, output)
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(command): \(text)")
        }
    }
}

/// A program of version 1, which has no classes of it here: it names the properties.
private actor OldProgram {
    private let container: PersistentContainer
    private let project: ObjectID<ManagedObject>
    private let user: ObjectID<ManagedObject>
    let principal: Principal
    private(set) var count = 0
    private var isStopped = false

    init(_ url: String, _ model: ManagedObjectModel) async throws {
        container = try await PersistentContainer.open(url, model: model, options: TrackerApp.options)
        (project, user, principal) = try await container.perform { context in
            let team = try context.insertObject(ofEntity: "Team")
            try team.set("name", to: "Old")
            let user = try context.insertObject(ofEntity: "User")
            for (name, value) in ["login": "old", "password": Data(), "team": team] as [String: Any] {
                try user.set(name, to: value)
            }
            let project = try context.insertObject(ofEntity: "Project")
            for (name, value) in ["key": "OLD", "title": "Old", "team": team] as [String: Any] {
                try project.set(name, to: value)
            }
            try context.save()
            return (
                project.objectID, user.objectID,
                Principal(user: user.objectID.typed(), team: team.objectID.typed())
            )
        }
    }

    func stop() { isStopped = true }

    /// Inserts issues and starts the work on them.
    func addIssues() async throws {
        while !isStopped {
            let (number, project, user) = (count + 1, project, user)
            try await container.perform(retrying: .conflicts(upTo: 5)) { context in
                let issue = try context.insertObject(ofEntity: "Issue")
                let values: [String: Any] = [
                    "number": number, "title": "Issue \(number)", "createdAt": Date(), "state": "open",
                    "project": try context.existingObject(with: project),
                    "author": try context.existingObject(with: user),
                ]
                for (name, value) in values { try issue.set(name, to: value) }
                try context.save()
                try issue.set("state", to: "active")
                try context.save()
            }
            count += 1
        }
        await container.close()
    }

    func title(of number: Int64) async throws -> String? {
        try await container.perform { context in
            var request = FetchRequest<ManagedObject>(entityName: "Issue")
            request.predicate = .format("number == %@", number)
            return try context.fetch(request).first?["title"] as? String
        }
    }
}
