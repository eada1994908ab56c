// expect: value of type 'Person' has no member 'nmae'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, sortedBy: .ascending(\.nmae))
}
