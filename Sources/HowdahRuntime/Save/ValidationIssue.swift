public import HowdahModel

/// One rule of the model that one object breaks.
public struct ValidationIssue: Sendable, CustomStringConvertible {
    /// The object, where it is known.
    public let objectID: ObjectID<ManagedObject>?
    /// The name of its entity.
    public let entityName: String
    /// The property concerned; nil where several are.
    public let property: String?
    /// Core Data's number for this kind of issue, such as 1570 for a missing mandatory property.
    public let code: Int
    /// What is wrong and what to do about it; never contains values.
    public let message: String

    /// Entity, property and message.
    public var description: String {
        let place = property.map { "\(entityName).\($0)" } ?? entityName
        return "\(place): \(message) (\(code))"
    }

    static let missingMandatory = 1570
    static let tooFewMembers = 1580
    static let tooManyMembers = 1590
    static let deleteDenied = 1600
    static let uniqueness = 1551
    static let generic = 1550

    init(_ object: ManagedObject, _ property: String?, _ code: Int, _ message: String) {
        self.init(object.objectID, object.layout.name, property, code, message)
    }

    init(
        _ objectID: ObjectID<ManagedObject>?, _ entityName: String, _ property: String?, _ code: Int,
        _ message: String
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.property = property
        self.code = code
        self.message = message
    }
}
