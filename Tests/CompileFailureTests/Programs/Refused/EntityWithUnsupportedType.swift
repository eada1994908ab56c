// expect: this type cannot be stored. Use Bool, an integer
import Howdah

@Entity final class Slot: ManagedObject {
    var hours: Range<Int>
    var name: String
}
