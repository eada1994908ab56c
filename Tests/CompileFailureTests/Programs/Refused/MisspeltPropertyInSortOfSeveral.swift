// expect: value of type 'Person' has no member 'nmae'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(
        Person.self, where: #Predicate { $0.name == "x" }, sortedBy: .ascending(\.name),
        .descending(\.manager, \.nmae))
    _ = try context.fetch(Person.self, matching: .format("x == 1"), sortedBy: .ascending(\.nmae), limit: 2)
    _ = try context.fetch(Person.self, sortedBy: .descending(\.manager, \.manager, \.nmae))
}
