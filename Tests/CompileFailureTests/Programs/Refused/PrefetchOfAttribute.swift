// expect: requires that 'String' conform to 'RelationshipValue'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, where: #Predicate { $0.name == "x" }, prefetching: \.name)
}
