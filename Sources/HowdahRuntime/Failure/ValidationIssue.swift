public import Foundation
public import HowdahModel

/// A rule, of the model or of a class, that an object breaks; also an error that validation hooks throw.
public struct ValidationIssue: Error, CustomStringConvertible {
    /// The object, if it is known.
    public let objectID: ObjectID<ManagedObject>?
    /// The name of its entity.
    public let entityName: String
    /// The property concerned; nil if there are several, which ``properties`` names.
    public let propertyName: String?
    /// The properties concerned: all members of a uniqueness constraint; none for an issue of the whole
    /// object.
    public let properties: [String]
    /// Core Data's number for this kind of issue, such as 1570 for a missing mandatory property.
    public let code: Int
    /// The fault and the remedy; never contains values.
    public let message: String
    /// The error that a validation hook threw; nil for any other issue.
    ///
    /// It is nil also if the hook threw a `ValidationIssue` or a ``SaveError`` with issues.
    public internal(set) var underlyingError: (any Error)?
    /// The row of a batch insertion, counted from 1, if it is known; nil otherwise.
    public internal(set) var row: Int?

    /// The entity, property, object, row of a batch, and message.
    ///
    /// An object that was never saved has a number that is valid in its context.
    public var description: String {
        let names = properties.count > 1 ? "(\(properties.joined(separator: ", ")))" : propertyName
        let place = names.map { "\(entityName).\($0)" } ?? entityName
        let object = objectID.map { " of \($0.shortText)" } ?? ""
        let row = row.map { ", row \($0)" } ?? ""
        return "\(place)\(object)\(row): \(message) (\(code))"
    }

    /// The rest of a sentence about a unique value.
    static let takenAlready =
        "that another object has already. Change one of the two objects, or set a merge policy, which decides if one "
        + "of the two is saved."

    /// Returns the message about values of unique properties.
    static func unique(_ properties: [String], _ sentence: String) -> String {
        "\(properties.count > 1 ? "have values together" : "has a value") \(sentence)"
    }

    /// The first words about a value that a transformer refused; its own words follow.
    package static let transformation = "could not be transformed by"

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
        _ message: String, underlyingError: (any Error)? = nil
    ) {
        self.objectID = objectID
        self.entityName = entityName
        self.properties = properties
        propertyName = properties.count == 1 ? properties[0] : nil
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }
}

extension ObjectID {
    /// The object's name in errors that name its entity already.
    var shortText: String { uriRepresentation.lastPathComponent }
}

extension ValidationIssue: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
