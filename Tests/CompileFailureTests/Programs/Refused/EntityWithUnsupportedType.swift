// expect: this type cannot be stored; use Bool, an integer
import Howdah

@Entity final class Slot: ManagedObject {
    var hours: Range<Int>
    var name: String
}
