import Foundation
import Howdah

/// Saves a note for each line that it reads, and says what became of it: "stored", "not stored" or the token to ask
/// with later. "wait" is never answered: the process is to be killed.
struct Asker {
    let url: String

    static let model = Result {
        try ManagedObjectModel(entities: [
            EntityDescription("Note", properties: [.attribute("text", .string, optional: false)])
        ])
    }

    func run() async throws {
        var options = StoreOptions()
        options.resolvesLostCommits = true
        options.maximumConnections = 1
        options.connectionWait = .milliseconds(300)
        let container = try await PersistentContainer.open(url, model: Self.model.get(), options: options)
        say("open")
        while let line = readLine() {
            do {
                try await container.perform { context in
                    for part in 1...2 { context.insert("Note")["text"] = "\(line) \(part)" }
                    try context.save()
                }
                say("stored")
            } catch let error as SaveError {
                say(error.token?.uuidString ?? "not stored")
            }
        }
    }

    private func say(_ text: String) {
        print(text)
        fflush(nil)
    }
}
