// expect: write 'sortedBy: .ascending(\.name)' or 'sortedBy: .descending(\.name)'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(Person.self, sortedBy: \.name)
    _ = try context.fetch(Person.self, where: #Predicate { $0.name == "x" }, sortedBy: \.name, limit: 3)
}
