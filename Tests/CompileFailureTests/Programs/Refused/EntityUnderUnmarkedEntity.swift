// expect: the superclass is not declared with @Entity. Write @Entity before it, or inherit from ManagedObject
import Howdah

class Base: ManagedObject {
    var note = ""
}

@Entity class Origin: ManagedObject {
    var name: String
}

class Between: Origin {}

@Entity final class Slot: Base {
    var name: String?
    @Relationship(inverse: "slot") var crate: Crate?
}

@Entity final class Crate: Between {
    var size: Int
    @Relationship(inverse: "crate") var slot: Slot?
}
