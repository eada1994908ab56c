// expect: 'where:' takes a #Predicate. Write 'matching: .format(…)' for a format
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, where: .format("name == 'x'"))
}
