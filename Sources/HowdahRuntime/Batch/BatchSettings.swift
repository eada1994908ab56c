import Foundation
import HowdahModel
import PQClient

/// The SET clause of a batch update, property by property.
struct BatchSettings {
    let layout: EntityLayout
    let layouts: StoreLayout
    let scope: SQLScope
    var parameters: Parameters
    private var settings: [String] = []
    private var columns: Set<String> = []
    /// The changed slots.
    private(set) var slots: Set<Int> = []
    /// The computed values of each row, by their names in the request.
    private(set) var computed: [String] = []

    init(_ fetch: RenderedFetch, in layouts: StoreLayout) {
        layout = fetch.layout
        scope = fetch.scope
        parameters = fetch.parameters
        self.layouts = layouts
    }

    private var alias: String { scope.alias }

    /// Returns the clause, with the version incremented.
    func sql() throws -> String {
        let version = try layout.table.writtenVersion()
        return (settings + ["\(version) = \(alias).\(version) + 1"]).joined(separator: ", ")
    }

    /// Sets one property, or one element of a composite.
    ///
    /// - Throws: `FetchError.invalidRequest`, or `SaveError.validation` for a value that does not fit.
    mutating func add(_ name: String, _ value: BatchUpdateValue) throws {
        let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = path.first, let slot = layout.slotsByName[first] else {
            throw layout.refusal(toWrite: name)
        }
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            guard !attribute.isDerived, let place = AttributePlace(layout, slot, path.dropFirst()) else {
                throw layout.refusal(toWrite: name)
            }
            try add(name, value.kind, place)
        case .toOne(let relationship):
            guard path.count == 1, case .foreignKey = relationship.storage else {
                throw layout.refusal(toWrite: name)
            }
            try add(name, value.kind, relationship)
        case .toMany: throw layout.refusal(toWrite: name)
        }
        slots.insert(slot)
        switch value.kind {
        case .arithmetic, .computed: computed.append(name)
        case .given, .attribute, .invalid: break
        }
    }

    /// Sets the time of the update in the attributes that keep it, those of sub-entities too.
    mutating func addMoments(at date: Date) throws {
        for moment in layout.moments(at: date, in: layouts.entities)
        where !columns.contains(moment.column.name) {
            try append(moment.value, moment.column, moment.name)
            try set(moment.column, moment.expression("$\(parameters.count)", alias: alias), moment.name)
        }
    }

    // MARK: Attributes

    mutating func add(
        _ name: String, _ kind: BatchUpdateValue.Kind, _ place: AttributePlace
    ) throws {
        switch kind {
        case .given(let given):
            let literal = (given as? Value).map { place.type.coerced($0) }
            guard let value = BatchValue.attribute(literal ?? given, place.type) else {
                throw issue(name, BatchValue.complaint(given, place.type))
            }
            if value.isNull, !place.isOptional {
                throw issue(
                    name, "is required and cannot be nil. Give it a value.", ValidationIssue.missingMandatory)
            }
            var leaves: [Value] = []
            value.appendLeaves(of: place.type, to: &leaves)
            for (value, column) in zip(leaves, place.columns) { try set(column, to: value, name) }
        case .arithmetic(let operation, let operand):
            guard place.columns.count == 1, place.type.hasArithmetic else {
                let setting = operation == .plus ? "increment(by:)" : "multiply(by:)"
                throw FetchError(
                    .invalidRequest,
                    "\(setting) needs a number, and \(layout.name).\(name) is not a number. Set it with .value "
                        + "or .expression.")
            }
            let column = place.columns[0]
            guard let value = BatchValue.attribute(place.type.coerced(operand), place.type), !value.isNull
            else {
                throw issue(name, BatchValue.complaint(operand, place.type))
            }
            try append(value, column, name)
            try set(column, "\(alias).\(column.name) \(operation.rawValue) $\(parameters.count)", name)
        case .attribute(let other):
            let path = other.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let slot = layout.slotsByName[path[0]],
                let source = AttributePlace(layout, slot, path.dropFirst())
            else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name) has no stored attribute '\(other)' from which to set \(name). Name a stored "
                        + "attribute.")
            }
            guard source.type == place.type else {
                throw FetchError(
                    .invalidRequest,
                    "\(layout.name).\(other) and \(name) have different types. Name an attribute of the same type."
                )
            }
            for (column, source) in zip(place.columns, source.columns) {
                try set(column, "\(alias).\(source.name)", name)
            }
        case .computed(let expression): try add(name, expression, place)
        case .invalid(let error): throw error
        }
    }

    // MARK: To-one relationships

    private mutating func add(
        _ name: String, _ kind: BatchUpdateValue.Kind, _ relationship: RelationshipLayout
    ) throws {
        let destination = layouts.entities[relationship.destination]
        let isKept = relationship.inverse.map { destination.relationship($0).isKeptByOwner } ?? false
        if relationship.isSelfInverse || isKept {
            throw FetchError(
                .invalidRequest,
                relationship.isSelfInverse
                    ? "\(layout.name).\(name) is its own inverse, so the destination would change too. A batch "
                        + "request cannot change both objects. Set the relationship in a context."
                    : "A batch update cannot set \(layout.name).\(name), because its inverse is ordered or "
                        + "has a minimum or maximum count. Set \(layout.name).\(name) in a context."
            )
        }
        let columns = layout.slots[relationship.slot].columns.map { layout.columns[$0] }
        let given: (any Sendable)?
        switch kind {
        case .given(let value): given = value
        case .computed(let expression):
            guard let value = try add(name, expression, columns, destination) else { return }
            given = value
        case .invalid(let error): throw error
        case .arithmetic, .attribute:
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) is a relationship. Give it an ObjectID, nil, or an expression whose value is "
                    + "an object."
            )
        }
        switch BatchValue.reference(given, in: layout.storeIdentifier) {
        case .none:
            if !relationship.isOptional {
                throw issue(
                    name, "is required and cannot be nil. Give it an ObjectID.",
                    ValidationIssue.missingMandatory)
            }
            for column in columns { try set(column, to: .null, name) }
        case .row(let reference):
            guard destination.concreteStoredNames.contains(reference.entity) else {
                throw issue(
                    name,
                    "refers to \(destination.name) and cannot refer to \(reference.entity). Give it an ObjectID of "
                        + "\(destination.name)."
                )
            }
            for (column, value) in zip(columns, [.int(reference.key), .string(reference.entity)] as [Value]) {
                try set(column, to: value, name)
            }
        case .wrong(let complaint): throw issue(name, complaint)
        }
    }

    // MARK: Columns

    private mutating func set(_ column: LayoutColumn, to value: Value, _ name: String) throws {
        try append(value, column, name)
        try set(column, "$\(parameters.count)", name)
    }

    private mutating func append(_ value: Value, _ column: LayoutColumn, _ name: String) throws {
        do {
            try parameters.append(column.sent) { try $0.write(value, as: column.type) }
        } catch let error as PostgresError {
            throw issue(name, "cannot be stored: \(error.message)")
        } catch let error as FetchError {
            throw issue(name, "cannot be stored: \(error.message)")
        }
    }

    mutating func set(_ column: LayoutColumn, _ sql: String, _ name: String) throws {
        guard columns.insert(column.name).inserted else {
            throw FetchError(
                .invalidRequest,
                "A batch update of \(layout.name) sets \(name) twice: as a whole and by its elements. Remove one of "
                    + "the two."
            )
        }
        settings.append("\(column.name) = \(sql)")
    }

    func issue(
        _ name: String, _ sentence: String, _ code: Int = ValidationIssue.generic
    ) -> SaveError {
        .validation([ValidationIssue(nil, layout.name, name, code, sentence)])
    }
}
