import Foundation
import Howdah
import Logging
import TestSupport

/// A program that has a store open while another one destroys, replaces or describes it; does what each line says, and
/// answers with the outcome or the code of the error.
///
/// Each save makes a folder with two notes, so that an odd number of notes is a half save.
struct Tenant {
    let url: String
    let schemaName: String

    func run() async throws {
        var options = StoreOptions()
        options.schemaName = schemaName
        options.logger.logLevel = .critical
        let container = try await PersistentContainer.open(url, model: Notebook.model(), options: options)
        say("open")
        while let line = readLine() {
            do {
                switch line {
                case "save": try await Self.save(container)
                case "fetch": try await container.perform { _ = try Self.notes($0) }
                case "update":
                    try await container.perform { context in
                        for note in try Self.notes(context) { note["text"] = "changed" }
                        try context.save()
                    }
                case "write": return try await write(container)
                case "hold": try await hold(container)
                case let pair where pair.hasPrefix("metadata "):
                    let words = pair.split(separator: " ").map(String.init)
                    try await container.setMetadata([words[1]: .string(words[2])])
                case "count metadata":
                    for number in 1...100 {
                        try await container.setMetadata([
                            "\(schemaName) \(ProcessInfo.processInfo.processIdentifier) \(number)": 1
                        ])
                    }
                default: throw CancellationError()
                }
                say("done")
            } catch {
                say(Self.code(of: error))
            }
        }
        await container.close()
    }

    /// Writes until an error comes, and says which; then tries again once.
    private func write(_ container: PersistentContainer) async throws {
        say("writing")
        var saves = 0
        while true {
            do {
                try await Self.save(container)
                saves += 1
            } catch {
                say("\(saves) \(Self.code(of: error))")
                break
            }
        }
        do {
            try await Self.save(container)
            say("done")
        } catch {
            say(Self.code(of: error))
        }
    }

    /// Has a transaction open until the next line.
    private func hold(_ container: PersistentContainer) async throws {
        try await container.perform(isolation: .readCommitted) { context in
            try Self.insert(context)
            try context.save()
            print("holding")
            fflush(nil)
            _ = readLine()
        }
    }

    private static func save(_ container: PersistentContainer) async throws {
        try await container.perform { context in
            try insert(context)
            try context.save()
        }
    }

    private static func insert(_ context: ManagedObjectContext) throws {
        let folder = context.insert("Folder")
        folder["name"] = "of \(ProcessInfo.processInfo.processIdentifier)"
        for number in 1...2 {
            let note = context.insert("Note")
            note["text"] = "\(number)"
            note["folder"] = folder
        }
    }

    private static func notes(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
    }

    private static func code(of error: any Error) -> String {
        switch error {
        case let error as StoreError: "StoreError.\(error.code)"
        case let error as SaveError: "SaveError.\(error.code)"
        case let error as FetchError: "FetchError.\(error.code)"
        default: "\(type(of: error))"
        }
    }

    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}
