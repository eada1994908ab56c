// expect: write 'FetchRequest(where: #Predicate { … })' for a new request
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws -> [Person] {
    var request = FetchRequest<Person>()
    request.predicate = #Predicate { $0.name == "x" }
    request.predicate = #Predicate<Person> { $0.name == "x" }
    return try context.fetch(request)
}
