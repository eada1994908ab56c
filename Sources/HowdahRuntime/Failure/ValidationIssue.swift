import Foundation
public import HowdahModel

/// One rule, of the model or of a class, that one object breaks; an error that validation hooks throw.
public struct ValidationIssue: Error, CustomStringConvertible {
    /// The object, where it is known.
    public let objectID: ObjectID<ManagedObject>?
    /// The name of its entity.
    public let entityName: String
    /// The property concerned; nil where several are, which ``properties`` names.
    public let property: String?
    /// The properties concerned: all members of a uniqueness constraint; none where the whole object is meant.
    public let properties: [String]
    /// Core Data's number for this kind of issue, such as 1570 for a missing mandatory property.
    public let code: Int
    /// What is wrong and what to do about it; never contains values.
    public let message: String
    /// The error that a validation hook threw, if it was neither a `ValidationIssue` nor a ``SaveError`` with issues; nil for any other
    /// issue.
    public internal(set) var underlying: (any Error)?
    /// Which row of a batch insertion it is, counted from 1, where that is known; nil elsewhere.
    public internal(set) var row: Int?

    /// Entity, property, object, the row of a batch and message; an object that was never saved is told by a number that goes with its
    /// context.
    public var description: String {
        let names = properties.count > 1 ? "(\(properties.joined(separator: ", ")))" : property
        let place = names.map { "\(entityName).\($0)" } ?? entityName
        let object = objectID.map { " of \($0.shortText)" } ?? ""
        let row = row.map { ", row \($0)" } ?? ""
        return "\(place)\(object)\(row): \(message) (\(code))"
    }

    /// The rest of a sentence about a unique value.
    static let takenAlready =
        "that another object has already; give it another value, or set a merge policy, which decides if one of the two is stored"

    /// What is wrong with values of unique properties.
    static func unique(_ properties: [String], _ sentence: String) -> String {
        "\(properties.count > 1 ? "have values together" : "has a value") \(sentence)"
    }

    package static let missingMandatory = 1570
    static let tooFewMembers = 1580
    static let tooManyMembers = 1590
    static let deleteDenied = 1600
    static let uniqueness = 1551
    static let generic = 1550

    init(
        _ objectID: ObjectID<ManagedObject>?, _ entityName: String, _ property: String?, _ code: Int,
        _ message: String
    ) {
        self.init(objectID, entityName, property.map { [$0] } ?? [], code, message)
    }

    init(
        _ objectID: ObjectID<ManagedObject>?, _ entityName: String, _ properties: [String], _ code: Int,
        _ message: String, underlying: (any Error)? = nil
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.properties = properties
        property = properties.count == 1 ? properties[0] : nil
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension ObjectID {
    /// What errors call the object, where the entity is told anyhow.
    var shortText: String { uriRepresentation.lastPathComponent }
}
