import Howdah

/// The class of all programs; that its properties store nothing makes no difference to the compiler.
final class Person: ManagedObject {
    var name: String {
        get { "" }
        set {}
    }
    var manager: Person? {
        get { nil }
        set {}
    }
    var reports: ToMany<Person> { ToMany(self, 0) }
}
