// expect: has no member 'slotz'
import Howdah

@Entity final class Room: ManagedObject {
    @Relationship(inverse: "room") var slots: ToMany<Slot>
}

@Entity final class Slot: ManagedObject {
    @Relationship(inverse: "slotz") var room: Room?
}
