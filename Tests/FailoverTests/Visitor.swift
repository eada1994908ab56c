import Howdah

/// An object of the stores whose servers fail.
@Entity final class Visitor: ManagedObject {
    @Attribute(.preserveValueOnDeletion) var name: String

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Visitor.self) }
}
