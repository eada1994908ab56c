package import Foundation

extension ObjectID {
    /// The id as one component of a path in a URL: `<stored entity name>-p<key>`, such as `Issue-p4711`.
    ///
    /// It has letters, digits, `_`, `-` and `~` only, so that no router decodes it. It does not name the store. A
    /// temporary id has `t` in place of `p`; you cannot create an id from it. To get an id back, call
    /// `objectID(_:pathComponent:)` of the container.
    public var pathComponent: String {
        entityName.utf8.map(Self.plain).joined() + (isTemporaryID ? "-t" : "-p") + "\(key.magnitude)"
    }

    /// Creates the id of a store from a ``pathComponent``; nil for any other text.
    ///
    /// The call does not check that the entity or object exists.
    package init?(pathComponent text: String, storeIdentifier: UUID) {
        let bytes = Array(text.utf8)
        guard let dash = bytes.lastIndex(of: UInt8(ascii: "-")), dash > 0, dash + 1 < bytes.count,
            bytes[dash + 1] == UInt8(ascii: "p")
        else { return nil }
        let digits = String(decoding: bytes[(dash + 2)...], as: UTF8.self)
        // One id has one text: no signs, no leading zeros, no other escapes.
        guard let key = Int64(digits), key >= 0, String(key) == digits, let name = Self.name(bytes[..<dash])
        else {
            return nil
        }
        self.init(storeIdentifier: storeIdentifier, entityName: name, key: key)
        guard pathComponent == text else { return nil }
    }

    private static func plain(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            String(UnicodeScalar(byte))
        default: (byte < 16 ? "~0" : "~") + String(byte, radix: 16, uppercase: true)
        }
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        var name: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                name.append(byte)
                continue
            }
            guard rest.count >= 2,
                let number = Int(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                let value = UInt8(exactly: number)
            else {
                return nil
            }
            name.append(value)
            rest.removeFirst(2)
        }
        return String(validating: name, as: UTF8.self)
    }
}
