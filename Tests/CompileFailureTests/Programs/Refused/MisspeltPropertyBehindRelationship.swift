// expect: value of type 'Person' has no member 'nmae'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> Int {
    try context.count(Person.self, where: #Predicate { $0.name > "a" && $0.manager?.nmae == "x" })
}
