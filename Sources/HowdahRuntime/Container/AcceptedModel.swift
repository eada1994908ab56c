/// Which model a store may have that a program opens; see ``StoreOptions/accepting``.
public enum AcceptedModel: Sendable, Hashable {
    /// The program's.
    case same
    /// The program's, or one that has all of it and more.
    ///
    /// All entities, properties and rules of the program's model are in the store's and stored alike; what is there
    /// besides is optional or has a default, and no new entity is below one of the program's. Indexes and defaults may
    /// differ.
    case compatible
}
