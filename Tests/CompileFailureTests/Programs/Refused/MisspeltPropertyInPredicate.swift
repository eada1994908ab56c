// expect: value of type 'Person' has no member 'nmae'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(
        Person.self, where: #Predicate { $0.nmae == "x" && $0.manager != nil }, sortedBy: .ascending(\.name),
        limit: 20
    ).map(\.name)
}
