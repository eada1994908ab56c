import Foundation
import HowdahModel
import PQClient

/// The columns that a batch insertion writes, and where the value of each comes from; made once per request.
struct BatchColumns {
    /// One property with columns of its own; a class, because each row looks at it.
    final class Property: Sendable {
        let slot: Int
        let name: String
        let kind: Kind
        let columns: [LayoutColumn]
        /// What rows get that do not name it, a value for each column.
        let initial: [Value]
        /// Whether nil is refused.
        let isRequired: Bool
        /// Whether rows have to name it.
        let hasToBeNamed: Bool

        init(
            slot: Int, name: String, kind: Kind, columns: [LayoutColumn], initial: [Value], isRequired: Bool
        ) {
            self.slot = slot
            self.name = name
            self.kind = kind
            self.columns = columns
            self.initial = initial
            self.isRequired = isRequired
            hasToBeNamed = isRequired && initial.allSatisfy(\.isNull)
        }

        enum Kind: Sendable {
            case attribute(AttributeLayout)
            case toOne(RelationshipLayout, entity: String, destinations: Set<String>)
            /// What no row names: the moment of the insertion, and what derived attributes begin with.
            case fixed
        }
    }

    let layout: EntityLayout
    /// Whether rows bring their keys, or the column's default gives them.
    let hasKeys: Bool
    /// The values that all rows share, in front of the properties.
    let shared: [(column: LayoutColumn, value: Value)]
    let properties: [Property]
    let places: [String: Int]
    /// All columns, in the order of writing.
    let all: [LayoutColumn]

    init(_ layout: EntityLayout, in layouts: [EntityLayout], hasKeys: Bool, at date: Date) {
        self.layout = layout
        self.hasKeys = hasKeys
        var shared: [(column: LayoutColumn, value: Value)] = []
        // A table of another program's has a default of its own, or none.
        if layout.table.existing != nil, let version = layout.table.version {
            shared.append((version, .int(1)))
        }
        if let discriminator = layout.discriminator {
            shared.append((LayoutColumn(quoted: discriminator, .text), .string(layout.storedName)))
        }
        self.shared = shared
        properties = layout.slots.indices.compactMap { slot in
            Self.property(slot, layout, layouts, Value.date(date).normalized)
        }
        places = Dictionary(
            properties.enumerated().compactMap { place, property in
                if case .fixed = property.kind { nil } else { (property.name, place) }
            }, uniquingKeysWith: { first, _ in first })
        all = (hasKeys ? [layout.table.key] : []) + shared.map(\.column) + properties.flatMap(\.columns)
    }

    private static func property(
        _ slot: Int, _ layout: EntityLayout, _ layouts: [EntityLayout], _ moment: Value
    ) -> Property? {
        let columns = layout.slots[slot].columns.map { layout.columns[$0] }
        guard !columns.isEmpty else { return nil }
        let name = layout.slots[slot].name
        switch layout.slots[slot].kind {
        case .attribute(let attribute) where attribute.isDerived:
            guard let derived = layout.derived, !derived.isGenerated(slot) else { return nil }
            var value = derived.initialValues[slot] ?? moment
            // As Core Data counts: in seconds since 2001.
            if derived.moments.contains(slot), attribute.type == .double, case .date(let date) = moment {
                value = .double(date.timeIntervalSinceReferenceDate)
            }
            return Property(
                slot: slot, name: name, kind: .fixed, columns: columns, initial: [value], isRequired: false)
        case .attribute(let attribute):
            return Property(
                slot: slot, name: name, kind: .attribute(attribute), columns: columns,
                initial: attribute.description.initialLeaves, isRequired: !attribute.isOptional)
        case .toOne(let relationship):
            guard case .foreignKey = relationship.storage else { return nil }
            let destination = layouts[relationship.destination]
            let names = Set(destination.concreteStoredNames)
            return Property(
                slot: slot, name: name,
                kind: .toOne(relationship, entity: destination.name, destinations: names), columns: columns,
                initial: columns.map { _ in .null }, isRequired: !relationship.isOptional)
        case .toMany: return nil
        }
    }

    /// The COPY that takes the rows.
    var copy: String {
        "COPY \(layout.table) (\(all.map(\.name).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }
}

extension AttributeDescription {
    /// What a new object's columns hold, one value each.
    fileprivate var initialLeaves: [Value] {
        var leaves: [Value] = []
        (defaultValue ?? elementDefaults).normalized.appendLeaves(of: type, to: &leaves)
        return leaves
    }

    /// The elements' own defaults count where the composite is required.
    private var elementDefaults: Value {
        guard !isOptional, let composite = type.composite else { return .null }
        return .composite(composite.elements.map { $0.defaultValue ?? $0.elementDefaults })
    }
}
