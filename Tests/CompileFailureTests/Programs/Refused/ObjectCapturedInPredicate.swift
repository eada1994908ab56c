// expect: to closure result type 'any StandardPredicateExpression<Bool>'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext, _ manager: Person) throws -> [Person] {
    try context.fetch(Person.self, where: #Predicate { $0.manager == manager })
}
