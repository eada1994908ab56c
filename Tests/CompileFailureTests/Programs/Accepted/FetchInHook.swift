// expect: nothing
import Howdah

final class Order: ManagedObject {
    override func willSave() {
        guard let context = managedObjectContext, let people = try? context.fetch(Person.self) else { return }
        for person in people where person.name.isEmpty { person.name = "named by a hook" }
    }
}
