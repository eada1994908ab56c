/// A parent's way to a child that lives only as long as somebody else wants it.
struct ChildReference {
    weak var context: ManagedObjectContext?
}
