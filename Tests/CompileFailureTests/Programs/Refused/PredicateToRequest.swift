// expect: write 'var request = FetchRequest<Class>()', then 'request.predicate = .format(…)'
import Howdah

func run(_ context: ManagedObjectContext) throws {
    let old = try PredicateTree(format: "name == \"x\"")
    _ = try context.fetch(FetchRequest<Person>(predicate: old))
}
