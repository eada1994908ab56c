import Foundation
import Howdah

/// Somebody else who uses the store: reads lines, does what they say, and answers each.
///
/// A line is the URI of an object and, separated by blanks, properties and values: `name=text` or `name=URI`; or the URI
/// and `delete`.
struct Peer {
    let url: String
    let model: ManagedObjectModel

    func run() async throws {
        let container = try await PersistentContainer.open(url, model: model)
        print("open")
        fflush(nil)
        while let line = readLine() {
            try await container.perform { context in
                let words = line.split(separator: " ").map(String.init)
                let object = try Self.object(words.first, context)
                if words.dropFirst() == ["delete"] {
                    context.delete(object)
                    return try context.save()
                }
                for word in words.dropFirst() {
                    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                    if let destination = try? Self.object(parts.last, context) {
                        object[parts[0]] = destination
                    } else {
                        object[parts[0]] = parts.last
                    }
                }
                try context.save()
            }
            print("done")
            fflush(nil)
        }
        await container.close()
    }

    private static func object(_ text: String?, _ context: ManagedObjectContext) throws -> ManagedObject {
        guard let url = text.flatMap({ URL(string: $0) }),
            let id = ObjectID<ManagedObject>(uriRepresentation: url)
        else { throw CancellationError() }
        return try context.existingObject(with: id)
    }
}
