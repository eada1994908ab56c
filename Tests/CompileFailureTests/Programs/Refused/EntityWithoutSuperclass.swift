// expect: An entity's class must inherit from ManagedObject
// expect: has no initializers
import Howdah

@Entity final class Slot {
    var name: String
}
