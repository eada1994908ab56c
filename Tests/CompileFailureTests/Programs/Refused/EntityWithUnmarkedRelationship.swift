// expect: this is a relationship; mark it with @Relationship
// expect: this is a relationship; make it Optional and mark it with @Relationship
import Howdah

@Entity final class Slot: ManagedObject {
    var owner: Person?
    var keeper: Person
}
