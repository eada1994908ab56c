// expect: the store sorts by a SortKey. Write 'sortedBy: .ascending(\.name)' in place of a SortDescriptor
// expect: the store sorts by SortKeys. Write 'request.sortDescriptors = [.ascending(\.name)]'
import Foundation
import Howdah

func program(_ context: ManagedObjectContext) throws {
    _ = try context.fetch(Person.self, sortedBy: SortDescriptor(\.name))
    _ = try context.fetch(
        Person.self, where: #Predicate { $0.name == "x" }, sortedBy: SortDescriptor(\Person.name))
    var request = FetchRequest<Person>()
    request.sortDescriptors = [SortDescriptor(\.name, order: .reverse)]
}
