// expect: an entity's class inherits from ManagedObject
// expect: has no initializers
import Howdah

@Entity final class Slot {
    var name: String
}
