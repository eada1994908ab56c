import Foundation
import Howdah

func program(_ context: ManagedObjectContext, _ id: ObjectID<Person>, _ ids: Set<ObjectID<Person>>) throws {
    let names = try context.fetch(
        Person.self, where: #Predicate { $0.name > "a" && $0.manager?.name == "Ada" },
        sortedBy: .ascending(\.name), .descending(\.manager, \.name), .key("name"), limit: 20,
        prefetching: \.manager, \.reports
    ).map(\.name)
    let managed = try context.count(Person.self, where: #Predicate { $0.manager?.objectID == id })
    let chosen = try context.count(Person.self, where: #Predicate { ids.contains($0.objectID) })
    let busy = #Predicate<Person> { $0.reports.count > 3 || $0.reports.contains { $0.name == "x" } }
    var request = FetchRequest(where: busy)
    request.sortDescriptors = [.ascending(\.name), .key("manager.name", ascending: false)]
    try request.prefetch(\.reports)
    request.predicate = .and([try PredicateTree(busy), .format("name != %@", "y")])
    print(names, managed, chosen, try context.fetch(request).isEmpty)
    print(try context.fetch(Person.self, sortedBy: .ascending(\.name), prefetching: \.manager).isEmpty)
    print(try context.fetch("Person", sortedBy: .key("name")).isEmpty)
}

func program(_ container: PersistentContainer) async throws {
    let named = #Predicate<Person> { $0.name == "x" }
    let count = try await container.perform { context in try context.count(Person.self, where: named) }
    print(count)
}
