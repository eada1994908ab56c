// expect: a format goes under 'matching:', as in 'matching: .format(…)'; 'where:' takes a #Predicate
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    try context.fetch(Person.self, where: .format("name == 'x'"))
}
