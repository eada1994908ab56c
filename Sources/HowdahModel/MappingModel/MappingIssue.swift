/// One thing that is wrong in a mapping model, or that may not be meant as it is written.
public struct MappingIssue: Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault an issue is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// Two entity mappings, or two mappings of one property, have one name.
        public static let duplicateName = Code("duplicateName")
        /// The source or destination entity is not in its model.
        public static let unknownEntity = Code("unknownEntity")
        /// A property, or a key of an expression, is not there.
        public static let unknownProperty = Code("unknownProperty")
        /// An entity has another version hash than the one the mapping was made for.
        public static let versionMismatch = Code("versionMismatch")
        /// Type, source, destination and policy of an entity mapping do not go together.
        public static let invalidType = Code("invalidType")
        /// An expression comes to what the property cannot hold.
        public static let typeMismatch = Code("typeMismatch")
        /// A required property of the destination gets no value.
        public static let missingValue = Code("missingValue")
        /// An expression names a variable that there is none of.
        public static let unknownVariable = Code("unknownVariable")
        /// An expression asks for the objects of an entity mapping or relationship that there is none of.
        public static let unknownMapping = Code("unknownMapping")
        /// An expression calls a method that nobody answers.
        public static let unknownSelector = Code("unknownSelector")
        /// A filter of source objects cannot be used.
        public static let invalidFilter = Code("invalidFilter")
        /// Warning: no entity mapping takes the objects of an entity, which are left behind.
        public static let unmappedEntity = Code("unmappedEntity")
        /// Warning: an expression asks an entity mapping for objects of entities that it does not take or make, so that
        /// there are none.
        public static let unrelatedMapping = Code("unrelatedMapping")
    }

    /// The kind of fault.
    public let code: Code
    /// The name of the entity mapping concerned, where there is one.
    public let entityMapping: String?
    /// The property of the destination concerned, where there is one.
    public let propertyName: String?
    /// What is wrong, where, and what to do.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ entityMapping: String?, _ propertyName: String?, _ text: String) {
        self.code = code
        self.entityMapping = entityMapping
        self.propertyName = propertyName
        let place = [entityMapping, propertyName].compactMap { $0 }.joined(separator: ".")
        message = place.isEmpty ? text : "\(place): \(text)"
    }
}
