import Foundation
import HowdahModel
import PQClient

/// One column of a uniqueness constraint, as a place in an entity's objects.
struct UniqueColumn {
    let slot: Int
    /// The position in the layout's columns.
    let position: Int
    /// A Boolean value that indicates whether texts that differ only in case are the same value.
    private let isCaseInsensitive: Bool
    private let offset: Int
    private let type: StoreSchema.ColumnType
    private let property: EntityLayout.Slot

    /// Returns the columns of a constraint in the objects of one entity; nil if the entity lacks one.
    static func columns(_ unique: StoreSchema.Unique, in layout: EntityLayout) -> [UniqueColumn]? {
        var columns: [UniqueColumn] = []
        for name in unique.columns {
            let quoted = SQLIdentifier.quoted(name)
            guard let position = layout.columns.firstIndex(where: { $0.name == quoted }),
                let slot = layout.slots.firstIndex(where: { $0.columns.contains(position) })
            else { return nil }
            let property = layout.slots[slot]
            columns.append(
                UniqueColumn(
                    slot: slot, position: position,
                    isCaseInsensitive: layout.columns[position].isCaseInsensitive,
                    offset: position - property.columns.lowerBound,
                    type: layout.columns[position].type,
                    property: property))
        }
        return columns
    }

    /// A Boolean value that indicates whether the column identifies by itself, unlike the entity column of a
    /// foreign key.
    var isKey: Bool { property.relationship == nil || offset == 0 }

    /// Returns the row's value when it was read.
    func stored(in object: ManagedObject) -> Value {
        value(
            object.changes?.originals.first { $0.slot == slot }?.original ?? object.original(at: slot), object
        )
    }

    /// Returns the row's value after the save.
    func present(in object: ManagedObject) -> Value { value(object.original(at: slot), object) }

    /// Returns the content of the unique index for a value.
    func held(_ value: Value) -> Value { isCaseInsensitive ? value.folded(.caseInsensitive) : value }

    private func value(_ original: ChangeRecord.Original, _ object: ManagedObject) -> Value {
        switch original {
        case .toOne(let field):
            return field.entity < 0
                ? .null : .int(offset == 0 ? field.key : Int64(field.entity))
        case .value(let value):
            guard case .attribute(let attribute) = property.kind else { return .null }
            var leaves: [Value] = []
            value.appendLeaves(of: attribute.type, to: &leaves)
            return leaves.indices.contains(offset) ? leaves[offset] : .null
        }
    }

    /// Returns a value that no row has, within the limits of CHECKs; nil if there is none.
    ///
    /// - Parameter stored: The value that it replaces, which satisfies all rules.
    func passingValue(insteadOf stored: Value) -> Value? {
        switch property.kind {
        // Foreign keys are checked at the end of the save, and real keys are positive.
        case .toOne: return .passingKey(type)
        case .toMany: return nil
        case .attribute(let attribute):
            if attribute.type.composite != nil { return nil }
            if attribute.isOptional { return .null }
            guard let rules = attribute.rules else { return Self.passingValue(attribute.description) }
            if !attribute.description.allowedValues.isEmpty { return nil }
            let value = Self.passingValue(attribute.description)
            if let value, rules.broken(by: value).isEmpty { return value }
            guard case .string(let text) = stored else { return nil }
            return Self.text(near: text, keeping: rules).map(Value.string)
        }
    }

    /// Returns the text with other letters for letters and other digits for digits; nil if nothing may
    /// differ.
    ///
    /// Patterns of codes usually permit this.
    private static func text(near text: String, keeping rules: AttributeRules) -> String? {
        var scalars = Array(text.unicodeScalars)
        var changes = 0
        // A few tries: a digit may be free between 0 and 3 only.
        for position in Array(repeating: scalars.indices.prefix(256), count: 4).joined() where changes < 40 {
            let scalar = scalars[position]
            guard let other = scalar.other else { continue }
            scalars[position] = other
            var changed = ""
            changed.unicodeScalars.append(contentsOf: scalars)
            let broken = rules.broken(by: .string(changed))
            if broken.contains(where: \.isUndecided) { return nil }
            if broken.isEmpty { changes += 1 } else { scalars[position] = scalar }
        }
        var result = ""
        result.unicodeScalars.append(contentsOf: scalars)
        return result == text ? nil : result
    }

    private static func passingValue(_ attribute: AttributeDescription) -> Value? {
        // Every value that the CHECK allows may be in use.
        guard attribute.allowedValues.isEmpty else { return nil }
        switch attribute.type.kind {
        case .string: return .string(passingText(attribute))
        case .uri: return URL(string: "howdah-parked:\(UUID().uuidString)").map(Value.uri)
        case .uuid: return .uuid(UUID())
        case .integer16: return integer(attribute, Int64(Int16.min)...Int64(Int16.max))
        case .integer32: return integer(attribute, Int64(Int32.min)...Int64(Int32.max))
        case .integer64: return integer(attribute, Int64.min...Int64.max)
        case .decimal where attribute.minimum == nil:
            return .decimal(-Decimal(UInt64.random(in: (1 << 60)...UInt64.max)))
        case .double where attribute.minimum == nil: return .double(-.random(in: 1e200...1e300))
        case .float where attribute.minimum == nil: return .float(-.random(in: 1e20...1e30))
        case .date where attribute.minimum == nil:
            return .date(Date(timeIntervalSince1970: -.random(in: 1e11...2e11).rounded()))
        case .transformable where attribute.isStoredAsJSON:
            return .data(Data("\"\(UUID().uuidString)\"".utf8))
        case .binary, .transformable: return .data(Data((0..<16).map { _ in UInt8.random(in: 0...255) }))
        default: return nil
        }
    }

    private static func passingText(_ attribute: AttributeDescription) -> String {
        let shortest = attribute.minimumLength ?? 0
        let length = min(max(40, shortest), attribute.maximumLength ?? Int.max)
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<length).map { _ in letters[.random(in: letters.indices)] })
    }

    /// Returns an integer from the lower half of the valid range, in which fewer values are in use.
    private static func integer(_ attribute: AttributeDescription, _ range: ClosedRange<Int64>) -> Value? {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        if case .int(let minimum) = attribute.minimum { lower = max(lower, minimum) }
        if case .int(let maximum) = attribute.maximum { upper = min(upper, maximum) }
        guard lower < upper else { return nil }
        return .int(.random(in: lower...(lower / 2 + upper / 2)))
    }
}

extension Value {
    /// Returns a key that no row has, in a column of that type: real keys are not negative.
    static func passingKey(_ type: StoreSchema.ColumnType) -> Value {
        switch type {
        case .int2: .int(.random(in: Int64(Int16.min)...(-1)))
        case .int4: .int(.random(in: Int64(Int32.min)...(-1)))
        default: .int(.random(in: Int64.min...(-1 << 62)))
        }
    }
}

extension Unicode.Scalar {
    /// Another character of the same kind, if it is an ASCII letter or digit.
    fileprivate var other: Unicode.Scalar? {
        let kinds: [ClosedRange<Unicode.Scalar>] = ["0"..."9", "a"..."z", "A"..."Z"]
        guard let kind = kinds.first(where: { $0.contains(self) }) else { return nil }
        let values = (UInt8(ascii: kind.lowerBound)...UInt8(ascii: kind.upperBound)).filter {
            $0 != UInt8(ascii: self)
        }
        return values.randomElement().map { Unicode.Scalar($0) }
    }
}
