public import Foundation
import HowdahRuntime

/// An error of the import or export of JSON, with its place and the remedy.
public struct GraphError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people; never contains values of the document.
    public let message: String
    /// The line of the document, from 1; nil if it was not read line by line.
    public let line: Int?
    /// The place in the document or in its line, such as `[0].employees[2].salary`; empty for all of it.
    public let path: String
    /// The names and indexes of the place, and the property that is missing there.
    let steps: [String]
    /// The entity concerned, if there is one.
    public let entityName: String?
    /// The property concerned, if there is one.
    public let propertyName: String?

    init(
        _ code: Code, _ message: String, at place: GraphPlace = GraphPlace(), entity: EntityLayout? = nil,
        property: String? = nil
    ) {
        self.code = code
        self.message = message
        line = place.line
        path = place.path
        // The place is the object, because the property is not in the document.
        let isAbsent = code == .missingValue && property != nil && place.steps.last != property
        steps = place.steps + (isAbsent ? [property ?? ""] : [])
        entityName = entity?.name
        propertyName = property
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The bytes are not JSON, or not in the format of a graph.
        public static let invalidJSON = Code(description: "invalidJSON")
        /// The document is larger or nested more deeply than the limits of the import permit.
        public static let tooLarge = Code(description: "tooLarge")
        /// An object's entity is missing, unknown, abstract, or not the one that the place requires.
        public static let invalidEntity = Code(description: "invalidEntity")
        /// The entity has no such property, or it is not stored.
        public static let unknownProperty = Code(description: "unknownProperty")
        /// The document contains a property that no key path of the import names.
        public static let notInKeyPaths = Code(description: "notInKeyPaths")
        /// A value is not of its property's type, or breaks one of the model's rules.
        public static let invalidValue = Code(description: "invalidValue")
        /// A required property of a new object has no value.
        public static let missingValue = Code(description: "missingValue")
        /// The target of a reference is neither in the document nor in the store.
        public static let unknownReference = Code(description: "unknownReference")
        /// Two objects of the document have one name, or one natural key and different values.
        public static let duplicateObject = Code(description: "duplicateObject")
        /// Both ends of a relationship are in the document, and they do not refer to each other.
        public static let contradiction = Code(description: "contradiction")
        /// The save of an object was refused because a rule about several objects is broken.
        ///
        /// Examples are another uniqueness constraint or a minimum count.
        public static let refused = Code(description: "refused")
        /// A key path does not fit the model, or refers to objects that nothing distinguishes.
        public static let invalidKeyPath = Code(description: "invalidKeyPath")
    }
}

extension GraphError: CustomStringConvertible {
    /// The place, the property and the message; safe to show.
    public var description: String {
        var parts: [String] = []
        if let line { parts.append("line \(line)") }
        if !path.isEmpty { parts.append(path) }
        if let entityName {
            parts.append(propertyName.map { "\(entityName).\($0)" } ?? entityName)
        }
        return (parts + [message]).joined(separator: ": ")
    }
}

extension GraphError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
