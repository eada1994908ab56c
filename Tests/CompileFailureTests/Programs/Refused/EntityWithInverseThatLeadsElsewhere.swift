// expect: this inverse does not refer to this class
import Howdah

@Entity final class Room: ManagedObject {
    var number: Int
    @Relationship(inverse: "boss") var slots: ToMany<Slot>
    @Relationship(inverse: "room") var named: ToMany<Slot>
}

@Entity final class Slot: ManagedObject {
    @Relationship(inverse: "number") var room: Room?
    @Relationship(inverse: "boss") var boss: Slot?
}

@Entity class Base: ManagedObject {
    @Relationship(inverse: "leaf") var other: Leaf?
}

@Entity final class Leaf: Base {
    @Relationship(inverse: "other") var leaf: Leaf?
}
