/// A fault of a model, or a warning about a part that may be unintended.
public struct ModelIssue: Hashable, Sendable, CustomStringConvertible {
    /// A kind of issue.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// A name is empty, has control characters, or is reserved.
        public static let invalidName = Code("invalidName")
        /// Two entities, properties, elements or columns have the same name.
        public static let duplicateName = Code("duplicateName")
        /// A superentity or destination is not in the model.
        public static let unknownEntity = Code("unknownEntity")
        /// An inverse or a member of a uniqueness constraint is not a property of the entity.
        public static let unknownProperty = Code("unknownProperty")
        /// An entity is its own superentity, directly or through others.
        public static let superentityCycle = Code("superentityCycle")
        /// An inverse does not refer back.
        public static let inverseMismatch = Code("inverseMismatch")
        /// A uniqueness constraint is empty or names a property without columns of the entity's own table.
        public static let invalidUniqueness = Code("invalidUniqueness")
        /// A default value is not of the attribute's type.
        public static let invalidDefault = Code("invalidDefault")
        /// A minimum, maximum or length does not fit the type, or the minimum is above the maximum.
        public static let invalidBounds = Code("invalidBounds")
        /// An allowed value is not of the attribute's type, or the default is not one of them.
        public static let invalidAllowedValues = Code("invalidAllowedValues")
        /// A regular expression cannot be read.
        public static let invalidPattern = Code("invalidPattern")
        /// A fetch index is empty, or names a property that has no column.
        public static let invalidIndex = Code("invalidIndex")
        /// A derivation expression is not one that a store can keep.
        public static let invalidDerivation = Code("invalidDerivation")
        /// A configuration, fetch request or fetched property names a part that does not exist.
        public static let invalidRequest = Code("invalidRequest")
        /// The elements of an array are of a type that arrays cannot hold.
        public static let invalidElement = Code("invalidElement")
        /// Warning: a composite has no stored elements, so that it is always nil.
        public static let emptyComposite = Code("emptyComposite")
        /// Warning: history cannot keep the value of this attribute or element when the object is deleted.
        public static let unpreservedValue = Code("unpreservedValue")
        /// Warning: an attribute has no type, so that it is not stored.
        public static let untypedAttribute = Code("untypedAttribute")
        /// Warning: two properties of an entity have one renaming identifier.
        public static let sharedIdentifier = Code("sharedIdentifier")
        /// Warning: a default value breaks the attribute's own rules.
        public static let invalidDefaultForRules = Code("invalidDefaultForRules")
        /// Warning: a regular expression is checked in memory only.
        public static let patternInMemoryOnly = Code("patternInMemoryOnly")
        /// Warning: a relationship has no inverse.
        public static let missingInverse = Code("missingInverse")
        /// Warning: deleting an object would leave others without a required relationship.
        public static let nullifyIntoRequired = Code("nullifyIntoRequired")
        /// Warning: deleting an object would delete objects that others share with it.
        public static let sharedCascade = Code("sharedCascade")
        /// Warning: nothing prevents a relationship from referring to a deleted object.
        public static let noForeignKey = Code("noForeignKey")
        /// Warning: the predicate of a fetch index is beyond the means of an index, so the model has no
        /// tables.
        public static let indexPredicateNotLowered = Code("indexPredicateNotLowered")
        /// Warning: a fetch index is built in another way than the model describes.
        public static let indexMethodReplaced = Code("indexMethodReplaced")
        /// Warning: the predicate of a fetch request cannot be read.
        public static let unreadablePredicate = Code("unreadablePredicate")
        /// Warning: a fetch request has an option that fetches do not support.
        public static let requestOptionIgnored = Code("requestOptionIgnored")
        /// Warning: the predicate of a fetch request names a property that its entity does not have.
        public static let unresolvedKeyPath = Code("unresolvedKeyPath")
        /// Warning: predicates read a property instead of the name's other meaning.
        public static let maskedKey = Code("maskedKey")
        /// A text is not JSON, or not that of a model.
        public static let malformed = Code("malformed")
        /// A `userInfo` entry for the mapping cannot be applied.
        public static let invalidMapping = Code("invalidMapping")
        /// Warning: a `userInfo` entry begins like those of Howdah, and is not one.
        public static let unknownMappingKey = Code("unknownMappingKey")
        /// A table would have more columns than PostgreSQL can support over several migrations.
        public static let tooManyColumns = Code("tooManyColumns")
    }

    /// The kind of issue.
    public let code: Code
    /// The entity concerned, if there is one.
    public let entityName: String?
    /// The property concerned, if there is one; elements of composites have a dotted path.
    public let propertyName: String?
    /// The fault, its place and the remedy.
    public let message: String

    /// The message.
    public var description: String { message }

    package init(_ code: Code, _ entityName: String?, _ propertyName: String?, _ text: String) {
        self.code = code
        self.entityName = entityName
        self.propertyName = propertyName
        let place = [entityName, propertyName].compactMap { $0 }.joined(separator: ".")
        self.message = place.isEmpty ? text : "\(place): \(text)"
    }
}
