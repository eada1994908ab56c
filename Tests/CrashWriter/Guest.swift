import Foundation
import Howdah

/// A program of an earlier version in a rolling deploy: it opens a logbook as its own model says, adds an aircraft for each
/// line that it reads, and answers with how many there are, or with why it may not.
struct Guest {
    let url: String
    let model: ManagedObjectModel

    func run() async throws {
        var options = StoreOptions()
        options.accepting = .compatible
        guard
            let container = await answering({
                try await PersistentContainer.open(url, model: model, options: options)
            })
        else { return }
        say("open")
        while let line = readLine() {
            let count = await answering {
                try await container.perform { context in
                    let aircraft = context.insert("Aircraft")
                    aircraft["registration"] = line
                    aircraft["flightData"] = "9.1"
                    try context.save()
                    return try context.fetch(FetchRequest<ManagedObject>(entityName: "Aircraft")).count {
                        $0["registration"] is String
                    }
                }
            }
            if let count { say("\(count)") }
        }
        await container.close()
    }

    private func answering<T>(_ body: () async throws -> T) async -> T? {
        do {
            return try await body()
        } catch {
            say("refused: \(error)")
            return nil
        }
    }

    private func say(_ text: String) {
        print(text.replacing("\n", with: " "))
        fflush(nil)
    }
}
