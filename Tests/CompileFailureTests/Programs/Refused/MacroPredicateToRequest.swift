// expect: write 'FetchRequest(where: #Predicate { … })', then set 'sortDescriptors'
import Foundation
import Howdah

func run(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(FetchRequest<Person>(predicate: #Predicate { $0.name == "x" }))
}
