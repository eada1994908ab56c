// expect: has no member 'nmae'
import Foundation
import Howdah

@Entity final class Slot: ManagedObject {
    var name: String
}

func program(_ context: ManagedObjectContext) throws -> Int {
    try context.fetch(Slot.self, where: #Predicate { $0.nmae == "" }).count
}
