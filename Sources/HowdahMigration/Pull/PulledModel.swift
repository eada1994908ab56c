package import HowdahModel
package import HowdahSchema

/// A model of the tables that a database has, and what of them no model can say.
///
/// A pure function of the catalog. Tables become entities, columns attributes, foreign keys relationships with an
/// inverse, and tables of nothing but two foreign keys many-to-many relationships.
package struct PulledModel: Hashable, Sendable {
    /// The model; the names of tables and columns are in its `userInfo` where they do not follow from its own names.
    package let model: ManagedObjectModel
    /// What was left out or taken for something near it, in the order of the tables.
    package let notes: [String]

    /// Makes a model of what is in `schema`.
    ///
    /// - Throws: ``ModelError`` where the tables make no sound model.
    package init(_ schema: DatabaseSchema) throws(ModelError) {
        var builder = PulledEntities(schema)
        builder.build()
        model = try ManagedObjectModel(entities: builder.entities)
        notes = builder.notes
    }
}
