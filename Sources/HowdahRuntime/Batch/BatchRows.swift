import Foundation
import HowdahModel
import PQClient

/// Converts a program's rows to values of columns, one row at a time, and records their effects.
struct BatchRows {
    let columns: BatchColumns
    private let storeIdentifier: UUID
    /// The to-ones whose destinations must be known afterwards.
    let watched: Set<Int>
    /// The number of rows that were begun.
    var number = 0
    /// The numbers of rows that were refused before, and are not in the spool.
    var refused: Set<Int> = []
    /// The keys of destinations, by slot.
    var destinations: [Int: Set<Int64>] = [:]
    /// The properties that the last row named.
    var named: [Bool]
    private let hasComposites: Bool
    private var trial = CellWriter()
    /// The values that the class computes for rows that do not name them.
    private var computed: InitialValues?

    init(_ columns: BatchColumns, watching watched: Set<Int>, computed: InitialValues? = nil) {
        self.columns = columns
        self.computed = computed
        self.watched = watched
        storeIdentifier = columns.layout.storeIdentifier
        named = Array(repeating: false, count: columns.properties.count)
        hasComposites = columns.properties.contains { property in
            if case .attribute(let attribute) = property.kind {
                attribute.type.composite != nil
            } else {
                false
            }
        }
    }

    /// Writes a row's cells one after the other.
    ///
    /// - Throws: `SaveError` naming entity, property and the row's number.
    mutating func write<V>(_ row: [String: V], key: Int64?, to cells: inout CellWriter) throws {
        number += 1
        if let key { try cells.write(.int(key), as: columns.layout.table.key.type) }
        for (column, value) in columns.shared { try cells.write(value, as: column.type) }
        let (start, count) = (cells.buffer.count, cells.cellCount)
        if try writeProperties(of: row, &cells) { return }
        // A name that is no property: a path into a composite, or wrong.
        cells.truncate(to: start)
        cells.cellCount = count
        if try !writeProperties(of: plain(row), &cells) { throw unknownName(in: row.keys) }
    }

    /// Returns the row's values, one for each column.
    ///
    /// - Throws: The errors of ``write(_:key:to:)``.
    mutating func values<V>(_ row: [String: V], key: Int64) throws -> [Value] {
        number += 1
        var values: [Value] = [.int(key)]
        values.reserveCapacity(columns.all.count)
        values += columns.shared.map(\.value)
        let start = values.count
        if try appendProperties(of: row, &values) { return values }
        values.removeSubrange(start...)
        if try !appendProperties(of: plain(row), &values) { throw unknownName(in: row.keys) }
        return values
    }

    /// Writes the properties of a row; false if it has a name that is not a property.
    private mutating func writeProperties<V>(of row: [String: V], _ cells: inout CellWriter) throws -> Bool {
        var known = 0
        for property in columns.properties {
            if case .fixed = property.kind {
                try cells.write(property.initial[0], as: property.columns[0].type)
                continue
            }
            guard let given = row[property.name] else {
                if property.hasToBeNamed {
                    if property.isNamedByElements(in: row) { return false }
                    try refuseMissing(property, in: row)
                }
                for (value, column) in zip(try initial(property), property.columns) {
                    try cells.write(value, as: column.type)
                }
                continue
            }
            known += 1
            do {
                if property.columns.count == 1, case .attribute(let attribute) = property.kind,
                    attribute.type.composite == nil
                {
                    let value = try attributeValue(given, attribute, property)
                    try cells.write(value, as: property.columns[0].type)
                } else {
                    for (value, column) in zip(try leaves(given, property), property.columns) {
                        try cells.write(value, as: column.type)
                    }
                }
            } catch {
                throw refusal(error, property)
            }
        }
        return known == row.count
    }

    private mutating func appendProperties<V>(of row: [String: V], _ values: inout [Value]) throws -> Bool {
        var known = 0
        for (place, property) in columns.properties.enumerated() {
            var given: V?
            if case .fixed = property.kind {} else { given = row[property.name] }
            named[place] = given != nil
            guard let given else {
                if property.hasToBeNamed {
                    if property.isNamedByElements(in: row) { return false }
                    try refuseMissing(property, in: row)
                }
                values += try initial(property)
                continue
            }
            known += 1
            do {
                let leaves = try leaves(given, property)
                // What cannot be stored is to be known while its row is.
                for (value, column) in zip(leaves, property.columns) {
                    try trial.write(value, as: column.type)
                }
                trial.truncate(to: 0)
                values += leaves
            } catch {
                throw refusal(error, property)
            }
        }
        return known == row.count
    }

    // MARK: Values

    /// Returns the values of a property that the row does not name, one for each column.
    ///
    /// - Throws: `SaveError` naming entity, property and the row's number, for a value that the class computes.
    mutating func initial(_ property: BatchColumns.Property) throws -> [Value] {
        guard property.isComputedByClass, let value = computed?.value(at: property.slot, row: number) else {
            return property.initial
        }
        do {
            return try leaves(value, property)
        } catch {
            throw refusal(error, property)
        }
    }

    private mutating func leaves<V>(_ given: V, _ property: BatchColumns.Property) throws -> [Value] {
        switch property.kind {
        case .attribute(let attribute):
            var leaves: [Value] = []
            try attributeValue(given, attribute, property).appendLeaves(of: attribute.type, to: &leaves)
            return leaves
        case .toOne(let relationship, let entity, let destinations):
            guard let reference = try reference(given, relationship, entity, destinations, property) else {
                if property.isRequired { try refuseMissing(property) }
                return property.initial
            }
            if watched.contains(property.slot) {
                self.destinations[property.slot, default: []].insert(reference.key)
            }
            return property.columns.count == 1
                ? [.int(reference.key)] : [.int(reference.key), .string(reference.entity)]
        case .fixed: return property.initial
        }
    }

    private func attributeValue<V>(
        _ given: V, _ attribute: AttributeLayout, _ property: BatchColumns.Property
    ) throws -> Value {
        guard let value = BatchValue.attribute(given, attribute.type) else {
            throw issue(property.name, BatchValue.complaint(given, attribute.type))
        }
        if value.isNull, property.isRequired { try refuseMissing(property) }
        if let element = value.missingElement(of: attribute.type) {
            throw issue(
                "\(property.name).\(element)", "is required and has no value. Give it a value.",
                ValidationIssue.missingMandatory)
        }
        return value
    }

    private func reference<V>(
        _ given: V, _ relationship: RelationshipLayout, _ entity: String, _ destinations: Set<String>,
        _ property: BatchColumns.Property
    ) throws -> ObjectReference? {
        if relationship.isSelfInverse {
            throw issue(
                property.name,
                "is its own inverse, so the destination would change too. A batch request cannot change both "
                    + "objects. Set the relationship in a context.")
        }
        switch BatchValue.reference(given, in: storeIdentifier) {
        case .none: return nil
        case .row(let reference) where destinations.contains(reference.entity): return reference
        case .row(let reference):
            throw issue(
                property.name,
                "refers to \(entity) and cannot refer to \(reference.entity). Give it an ObjectID of \(entity)."
            )
        case .wrong(let complaint): throw issue(property.name, complaint)
        }
    }

    /// Returns the row with each path into a composite applied to the value of the whole.
    private func plain<V>(_ row: [String: V]) throws -> [String: Any] {
        var plain: [String: Any] = [:]
        for (name, given) in row where !name.contains(".") { plain[name] = given }
        guard hasComposites else { return plain.merging(row.mapValues { $0 as Any }) { first, _ in first } }
        for (name, given) in row.sorted(by: { $0.key < $1.key }) where name.contains(".") {
            let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let place = columns.places[path[0]],
                case .attribute(let attribute) = columns.properties[place].kind,
                attribute.type.composite != nil
            else {
                plain[name] = given
                continue
            }
            let wholes = path.indices.dropFirst().map { path[..<$0].joined(separator: ".") }
            if let whole = wholes.first(where: { row[$0] != nil }) {
                throw FetchError(
                    .invalidRequest,
                    "Row \(number) of \(columns.layout.name) sets \(whole) twice: as a whole and by its elements. "
                        + "Remove one of the two.")
            }
            let old =
                plain[path[0]].flatMap { BatchValue.attribute($0, attribute.type) }
                ?? attribute.defaultValue ?? .null
            guard
                let value = ValueCoding.value(given, for: attribute.type, path: path.dropFirst(), in: old)
            else {
                throw issue(name, BatchValue.complaint(given, attribute.type, path.dropFirst()))
            }
            plain[path[0]] = value
        }
        return plain
    }

    // MARK: Errors

    private func refuseMissing(_ property: BatchColumns.Property) throws {
        throw issue(
            property.name, "is required and has no value. Give it a value.", ValidationIssue.missingMandatory)
    }

    /// Refuses a row that does not name a required property. A name that is not a property comes first,
    /// because it may be the misspelt name of this one.
    private func refuseMissing<V>(_ property: BatchColumns.Property, in row: [String: V]) throws {
        guard hasUnknownName(row.keys) else { return try refuseMissing(property) }
        var error = unknownName(in: row.keys)
        error.message +=
            " \(columns.layout.name).\(property.name) is required and has no value. Give it a value."
        throw error
    }

    private func refusal(_ error: any Error, _ property: BatchColumns.Property) -> any Error {
        switch error {
        case let error as PostgresError where error.code == .invalidValue:
            issue(property.name, "cannot be stored: \(error.message)")
        case let error as FetchError where error.code == .invalidValue:
            issue(property.name, "cannot be stored: \(error.message)")
        default: error
        }
    }

    private func issue(
        _ name: String, _ sentence: String, _ code: Int = ValidationIssue.generic
    ) -> SaveError {
        var issue = ValidationIssue(nil, columns.layout.name, name, code, sentence)
        issue.row = number
        return .validation([issue])
    }

    private func unknownName(in names: some Sequence<String>) -> FetchError {
        let name = names.sorted().first(where: isUnknown)
        return columns.layout.refusal(toWrite: name ?? "", row: number)
    }

    private func hasUnknownName(_ names: some Sequence<String>) -> Bool { names.contains(where: isUnknown) }

    /// Returns a Boolean value that indicates whether no property has the name. Paths into composites are
    /// checked elsewhere.
    private func isUnknown(_ name: String) -> Bool {
        guard let place = columns.places[String(name.prefix { $0 != "." })] else { return true }
        guard name.contains("."), case .attribute(let attribute) = columns.properties[place].kind else {
            return name.contains(".")
        }
        return attribute.type.composite == nil
    }
}

extension BatchColumns.Property {
    /// Returns a Boolean value that indicates whether a row has elements of the composite instead of the
    /// whole.
    fileprivate func isNamedByElements<V>(in row: [String: V]) -> Bool {
        guard case .attribute(let attribute) = kind, attribute.type.composite != nil else { return false }
        return row.keys.contains { $0.hasPrefix("\(name).") }
    }
}

extension Value {
    /// Returns the path of the first required element without a value; nil if the composite itself is nil.
    fileprivate func missingElement(of type: AttributeType) -> String? {
        guard let composite = type.composite, case .composite(let elements) = self else { return nil }
        for (value, element) in zip(elements, composite.elements) where element.isStored {
            if value.isNull, !element.isOptional { return element.name }
            if let inner = value.missingElement(of: element.type) { return "\(element.name).\(inner)" }
        }
        return nil
    }
}

extension EntityLayout {
    /// Returns the error for a property of that name that batch requests cannot write.
    func refusal(toWrite name: String, row: Int? = nil) -> FetchError {
        let place = row.map { " (row \($0))" } ?? ""
        guard let slot = slotsByName[String(name.prefix { $0 != "." })] else {
            let hint =
                NearestName.of(name, among: slots.map(\.name)).map { ". Did you mean '\($0)'?" }
                ?? ". Correct the name."
            return FetchError(.invalidRequest, "\(self.name) has no property '\(name)'\(place)\(hint)")
        }
        let reason =
            switch slots[slot].kind {
            case .attribute(let attribute) where attribute.isDerived:
                "is derived, so a batch request cannot set it. Set the properties that it is derived from"
            case .attribute(let attribute) where attribute.isTransient || slots[slot].columns.isEmpty:
                "is not stored in rows. Remove it from the request"
            case .attribute: "has no elements. Set the attribute itself"
            case .toMany:
                "is a to-many relationship, which a batch request cannot set. Set its inverse, or set the "
                    + "relationship in a context"
            case .toOne(let relationship) where relationship.isTransient:
                "is not stored in rows. Remove it from the request"
            case .toOne where name.contains("."):
                "names an element of a relationship, and relationships have no elements. Give the relationship an ObjectID"
            case .toOne:
                "is stored in the rows of its destination, so this request cannot set it. Set its "
                    + "inverse in a request for the destination"
            }
        return FetchError(.invalidRequest, "\(self.name).\(name)\(place) \(reason).")
    }
}
