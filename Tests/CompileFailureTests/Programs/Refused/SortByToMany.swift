// expect: requires that 'ToMany<Person>' conform to 'AttributeValue'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, sortedBy: .ascending(\.reports))
}
