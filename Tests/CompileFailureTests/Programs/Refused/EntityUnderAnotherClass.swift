// expect: the superclass is not an entity. Inherit from ManagedObject or from another class with @Entity
// expect: 'Base' has no member '_
// expect: does not override any
// expect: requires that 'Base' inherit from 'ManagedObject'
import Howdah

class Base {}

@Entity final class Slot: Base {
    var name: String?
}
