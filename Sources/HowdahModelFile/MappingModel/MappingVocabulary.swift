/// The objects of mapping models, and what they have.
enum MappingVocabulary {
    static let model = "XDDEVMAPPINGMODEL"
    static let entity = "XDDEVENTITYMAPPING"
    static let attribute = "XDDEVATTRIBUTEMAPPING"
    static let relationship = "XDDEVRELATIONSHIPMAPPING"

    /// The attributes that are read, and those that are known to have no effect: copies and paths of the models.
    static let attributes: [String: Set<String>] = [
        model: ["sourcemodelpath", "destinationmodelpath", "sourcemodeldata", "destinationmodeldata"],
        entity: [
            "name", "mappingtypename", "mappingnumber", "sourcename", "destinationname",
            "autogenerateexpression", "migrationpolicyclassname", "sourcefilterpredicatestring",
            "userinfodata",
        ],
        attribute: ["name", "valueexpressiondata", "autogenerateexpression", "userinfodata"],
        relationship: [
            "name", "valueexpressiondata", "autogenerateexpression", "userinfodata", "sourcemappingname",
            "sourcekeypath",
        ],
    ]
}
