extension SampleData {
    /// One planned object; its values are given by ``SampleData/values(ofObjectAt:)``.
    public struct Object: Hashable, Sendable, CustomStringConvertible {
        /// The entity's name.
        public let entityName: String
        /// Its number among the objects of its entity, from 0.
        public let number: Int
        /// Its relationships that have members, both sides of each, in the order of the model.
        public internal(set) var links: [Link] = []

        /// The entity and the number.
        public var description: String { "\(entityName) \(number)" }
    }

    /// The members of one relationship of an object.
    public struct Link: Hashable, Sendable {
        /// The relationship's name.
        public let relationship: String
        /// The members as indexes into ``SampleData/objects``: one for a to-one; in their order for an ordered to-many.
        public let members: [Int]
    }
}
