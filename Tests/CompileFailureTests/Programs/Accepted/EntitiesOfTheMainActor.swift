// flags: -default-isolation MainActor
import Foundation
import Howdah

@Entity fileprivate final class Hidden: ManagedObject {
    var name: String
    fileprivate(set) var note: String?
    private var secret: Swift.Optional<Int>
    @Relationship(inverse: "hidden") var rooms: Howdah.ToMany<Room>
}

@Entity private class Room: Howdah.ManagedObject {
    @Relationship(.required, inverse: "rooms") private(set) var hidden: Optional<Hidden>
    var made: Date = .now
}

@Entity private final class Cellar: Room {
    var depth: Int16 = 0
}

enum Models {
    @Entity("Inner") final class Nested: ManagedObject, CustomStringConvertible {
        private(set) var `default`: Bool = true
        var description: String { "\(`default`)" }
    }
}

nonisolated func program(_ context: ManagedObjectContext) throws -> Int {
    let model = try ManagedObjectModel(Hidden.self, Room.self, Cellar.self, Models.Nested.self)
    let nested = try context.fetch(
        Models.Nested.self, where: #Predicate { $0.default }, sortedBy: .ascending(\.default))
    return model.entities.count + nested.count
}
