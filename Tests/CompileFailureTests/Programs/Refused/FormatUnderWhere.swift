// expect: type 'Predicate<Person>' has no member 'format'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, where: .format("name == 'x'"))
}
