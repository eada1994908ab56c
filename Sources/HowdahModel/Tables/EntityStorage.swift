/// Where the objects of one entity are stored.
package struct EntityStorage: Hashable, Sendable {
    /// The entity's name.
    package let entityName: String
    /// The name that its rows and ids carry.
    package let storedName: String
    /// The name of the topmost superentity, or of the entity itself.
    package let rootEntity: String
    /// The name of the table.
    package let table: String
    /// The column with the key of each row.
    package let keyColumn: String
    /// The column with the number that grows with each change of a row; nil where the table has none, and its objects
    /// can only be read.
    package let versionColumn: String?
    /// The column with the stored name of each row's entity; nil where the table holds one entity only.
    package let discriminator: String?
    /// The stored names of this entity, unless abstract, and of all concrete entities below it; sorted.
    package let concreteStoredNames: [String]
    /// Where each property is stored: inherited ones first, in declaration order. The position is the slot.
    package let properties: [PropertyStorage]

    private let slots: [String: Int]

    init(
        entityName: String, storedName: String, rootEntity: String, table: String, keyColumn: String,
        versionColumn: String?,
        discriminator: String?,
        concreteStoredNames: [String], properties: [PropertyStorage]
    ) {
        self.entityName = entityName
        self.storedName = storedName
        self.rootEntity = rootEntity
        self.table = table
        self.keyColumn = keyColumn
        self.versionColumn = versionColumn
        self.discriminator = discriminator
        self.concreteStoredNames = concreteStoredNames
        self.properties = properties
        self.slots = Dictionary(
            properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The property of that name and its slot; constant time.
    package func property(named name: String) -> (slot: Int, mapping: PropertyStorage)? {
        slots[name].map { ($0, properties[$0]) }
    }
}
