// expect: this is a relationship. Mark it with @Relationship
// expect: this is a relationship. Make it Optional, and mark it with @Relationship
import Howdah

@Entity final class Slot: ManagedObject {
    var owner: Person?
    var keeper: Person
}
