// expect: write 'where:' for a #Predicate, 'matching:' for .format(…)
// expect: write 'matching:' for .format(…)
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(Person.self, predicate: #Predicate { $0.name == "x" })
    _ = try context.fetch(
        Person.self, predicate: .format("name == 'x'"), sortedBy: .ascending(\.name), limit: 3)
    _ = try context.fetch("Person", predicate: .format("name == 'x'"))
    _ = try context.count(Person.self, predicate: #Predicate { $0.name == "x" })
    _ = try context.count(Person.self, predicate: .format("name == 'x'"))
}
