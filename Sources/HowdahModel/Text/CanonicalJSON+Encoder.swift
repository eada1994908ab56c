extension CanonicalJSON {
    /// Creates the tree of a value, without Foundation's encoder and a text in between.
    ///
    /// Those take most of the time in which a small program opens its store.
    ///
    /// - Throws: `EncodingError` for a value without a canonical text: nil, fractions, and more than 512 levels.
    init(_ value: some Encodable) throws { self = try TreeEncoder.tree(of: value) }
}

private final class TreeEncoder: Encoder {
    private enum Content {
        case nothing
        case leaf(CanonicalJSON)
        case object([String: TreeEncoder])
        case array([TreeEncoder])
    }

    private var content = Content.nothing
    private let depth: Int
    /// Errors name the value, not its place.
    fileprivate var codingPath: [any CodingKey] { [] }
    fileprivate var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(depth: Int) { self.depth = depth }

    fileprivate static func tree(of value: some Encodable) throws -> CanonicalJSON {
        let root = TreeEncoder(depth: 0)
        try value.encode(to: root)
        return try root.tree(of: value)
    }

    private func tree(of value: Any) throws -> CanonicalJSON {
        switch content {
        case .nothing: throw Self.refusal(value)
        case .leaf(let leaf): return leaf
        case .object(let members): return .object(try members.mapValues { try $0.tree(of: value) })
        case .array(let elements): return .array(try elements.map { try $0.tree(of: value) })
        }
    }

    private static func refusal(_ value: Any) -> EncodingError {
        .invalidValue(
            value, .init(codingPath: [], debugDescription: "Only whole numbers have a canonical text."))
    }

    /// Returns the encoder of a member.
    ///
    /// - Throws: `EncodingError` if the member is too deep.
    private func member(_ key: any CodingKey) throws -> TreeEncoder {
        try checkDepth()
        return nested(key.stringValue)
    }

    private func element() throws -> TreeEncoder {
        try checkDepth()
        return nestedElement()
    }

    private func checkDepth() throws {
        guard depth < CanonicalJSON.maximumDepth else {
            throw EncodingError.invalidValue(
                "", .init(codingPath: [], debugDescription: "The value has more than 512 levels."))
        }
    }

    /// Returns the encoder of a member that is a container. If it is too deep, encoding its values throws.
    private func nested(_ name: String) -> TreeEncoder {
        let child = TreeEncoder(depth: depth + 1)
        var members: [String: TreeEncoder] = [:]
        if case .object(let known) = content {
            members = known
            content = .nothing
        }
        members[name] = child
        content = .object(members)
        return child
    }

    private func nestedElement() -> TreeEncoder {
        let child = TreeEncoder(depth: depth + 1)
        var elements: [TreeEncoder] = []
        if case .array(let known) = content {
            elements = known
            content = .nothing
        }
        elements.append(child)
        content = .array(elements)
        return child
    }

    private func put(_ leaf: CanonicalJSON) { content = .leaf(leaf) }

    private func put(_ integer: some BinaryInteger) throws {
        guard let integer = Int64(exactly: integer) else { throw Self.refusal(integer) }
        put(.integer(integer))
    }

    private func put(_ number: some BinaryFloatingPoint) throws {
        guard let integer = Int64(exactly: number) else { throw Self.refusal(number) }
        put(.integer(integer))
    }

    fileprivate func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .nothing = content { content = .object([:]) }
        return KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    fileprivate func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .nothing = content { content = .array([]) }
        return Unkeyed(encoder: self)
    }

    fileprivate func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil(forKey key: Key) throws { throw refusal(Never?.none as Any) }
        mutating func encode(_ value: Bool, forKey key: Key) throws {
            try encoder.member(key).put(.boolean(value))
        }
        mutating func encode(_ value: String, forKey key: Key) throws {
            try encoder.member(key).put(.string(value))
        }
        mutating func encode(_ value: Double, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Float, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Int, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Int8, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Int16, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Int32, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: Int64, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: UInt, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: UInt8, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: UInt16, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: UInt32, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode(_ value: UInt64, forKey key: Key) throws { try encoder.member(key).put(value) }
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            try value.encode(to: encoder.member(key))
        }
        mutating func nestedContainer<Inner: CodingKey>(
            keyedBy type: Inner.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Inner> {
            encoder.nested(key.stringValue).container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.nested(key.stringValue).unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { encoder.nested("super") }
        mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.nested(key.stringValue) }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { [] }
        var count: Int { encoder.count }

        mutating func encodeNil() throws { throw refusal(Never?.none as Any) }
        mutating func encode(_ value: Bool) throws { try encoder.element().put(.boolean(value)) }
        mutating func encode(_ value: String) throws { try encoder.element().put(.string(value)) }
        mutating func encode(_ value: Double) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Float) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Int) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Int8) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Int16) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Int32) throws { try encoder.element().put(value) }
        mutating func encode(_ value: Int64) throws { try encoder.element().put(value) }
        mutating func encode(_ value: UInt) throws { try encoder.element().put(value) }
        mutating func encode(_ value: UInt8) throws { try encoder.element().put(value) }
        mutating func encode(_ value: UInt16) throws { try encoder.element().put(value) }
        mutating func encode(_ value: UInt32) throws { try encoder.element().put(value) }
        mutating func encode(_ value: UInt64) throws { try encoder.element().put(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try value.encode(to: encoder.element()) }
        mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<
            Inner
        > {
            encoder.nestedElement().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            encoder.nestedElement().unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { encoder.nestedElement() }
    }

    private var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

    private struct Single: SingleValueEncodingContainer {
        let encoder: TreeEncoder
        var codingPath: [any CodingKey] { [] }

        mutating func encodeNil() throws { throw refusal(Never?.none as Any) }
        mutating func encode(_ value: Bool) throws { encoder.put(.boolean(value)) }
        mutating func encode(_ value: String) throws { encoder.put(.string(value)) }
        mutating func encode(_ value: Double) throws { try encoder.put(value) }
        mutating func encode(_ value: Float) throws { try encoder.put(value) }
        mutating func encode(_ value: Int) throws { try encoder.put(value) }
        mutating func encode(_ value: Int8) throws { try encoder.put(value) }
        mutating func encode(_ value: Int16) throws { try encoder.put(value) }
        mutating func encode(_ value: Int32) throws { try encoder.put(value) }
        mutating func encode(_ value: Int64) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt8) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt16) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt32) throws { try encoder.put(value) }
        mutating func encode(_ value: UInt64) throws { try encoder.put(value) }
        mutating func encode<T: Encodable>(_ value: T) throws { try value.encode(to: encoder) }
    }
}
