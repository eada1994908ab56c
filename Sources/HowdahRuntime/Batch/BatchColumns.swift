import Foundation
import HowdahModel
import PQClient

/// The columns that a batch insertion writes, with the sources of their values; created once per request.
struct BatchColumns {
    /// One property with columns; a class, because each row uses it.
    final class Property: Sendable {
        let slot: Int
        let name: String
        let kind: Kind
        let columns: [LayoutColumn]
        /// The values of rows that do not name it, one for each column.
        let initial: [Value]
        /// A Boolean value that indicates whether nil is refused.
        let isRequired: Bool
        /// A Boolean value that indicates whether rows must name it.
        let hasToBeNamed: Bool
        /// A Boolean value that indicates whether the class computes the value of a row that does not name it.
        let isComputedByClass: Bool

        init(
            slot: Int, name: String, kind: Kind, columns: [LayoutColumn], initial: [Value],
            isRequired: Bool, isComputedByClass: Bool = false
        ) {
            self.slot = slot
            self.name = name
            self.kind = kind
            self.columns = columns
            self.initial = initial
            self.isRequired = isRequired
            self.isComputedByClass = isComputedByClass
            hasToBeNamed = isRequired && !isComputedByClass && initial.allSatisfy(\.isNull)
        }

        enum Kind: Sendable {
            case attribute(AttributeLayout)
            case toOne(RelationshipLayout, entity: String, destinations: Set<String>)
            /// A value that no row names: the time of the insertion, or the initial value of a derived
            /// attribute.
            case fixed
        }
    }

    let layout: EntityLayout
    /// A Boolean value that indicates whether rows have their keys; if not, the column's default provides
    /// them.
    let hasKeys: Bool
    /// The values that all rows share, before the properties.
    let shared: [(column: LayoutColumn, value: Value)]
    let properties: [Property]
    let places: [String: Int]
    /// All columns, in the order of writing.
    let all: [LayoutColumn]

    /// - Parameter computed: The attributes whose values the class computes for rows that do not name them.
    init(
        _ layout: EntityLayout, in layouts: [EntityLayout], hasKeys: Bool, computed: Set<Int>, at date: Date
    ) {
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
            Self.property(slot, layout, layouts, computed, Value.date(date).normalized)
        }
        places = Dictionary(
            properties.enumerated().compactMap { place, property in
                if case .fixed = property.kind { nil } else { (property.name, place) }
            }, uniquingKeysWith: { first, _ in first })
        all = (hasKeys ? [layout.table.key] : []) + shared.map(\.column) + properties.flatMap(\.columns)
    }

    private static func property(
        _ slot: Int, _ layout: EntityLayout, _ layouts: [EntityLayout], _ computed: Set<Int>, _ moment: Value
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
                initial: attribute.description.initialLeaves, isRequired: !attribute.isOptional,
                isComputedByClass: computed.contains(slot))
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

    /// The COPY statement for the rows.
    var copy: String {
        "COPY \(layout.table) (\(all.map(\.name).joined(separator: ", "))) FROM STDIN (FORMAT binary)"
    }
}

extension AttributeDescription {
    /// The values of a new object's columns.
    fileprivate var initialLeaves: [Value] {
        var leaves: [Value] = []
        (defaultValue ?? elementDefaults).normalized.appendLeaves(of: type, to: &leaves)
        return leaves
    }

    /// The default of a required composite, made of its elements' defaults.
    private var elementDefaults: Value {
        guard !isOptional, let composite = type.composite else { return .null }
        return .composite(composite.elements.map { $0.defaultValue ?? $0.elementDefaults })
    }
}
