// expect: binary operator '==' cannot be applied to operands of type 'String' and 'Int'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    let count = 3
    return try context.fetch(Person.self, where: #Predicate { $0.name == count })
}
