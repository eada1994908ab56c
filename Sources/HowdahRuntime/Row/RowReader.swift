public import Foundation
import HowdahModel
public import PQClient

/// The cursor with which a managed object takes its values from one result row, column by column, in the
/// order of its entity's properties.
///
/// Nothing is copied before it is asked for, and no column is looked up by name: a select list's position of
/// each column was settled once for the whole result.
public struct RowReader {
    @usableFromInline let row: Row
    @usableFromInline let positions: UnsafePointer<Int32>
    @usableFromInline var ordinal = 0
    let layout: EntityLayout
    private(set) var failure: (any Error)?

    init(row: Row, positions: UnsafePointer<Int32>, layout: EntityLayout) {
        self.row = row
        self.positions = positions
        self.layout = layout
    }

    /// The next column's cell.
    @inlinable public mutating func next() -> Cell {
        let position = positions[ordinal]
        ordinal &+= 1
        return row[Int(position)]
    }

    /// Passes over the next `count` columns if all of them are NULL, and tells whether it did.
    @inlinable public mutating func skipIfNull(_ count: Int) -> Bool {
        for offset in 0..<count where !row[Int(positions[ordinal &+ offset])].isNull { return false }
        ordinal &+= count
        return true
    }

    /// Keeps the first error of the row; the fetch throws it once the row was read.
    public mutating func note(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Keeps the error that the column just taken holds a value which no case of an enum has.
    mutating func noteUnknownCase(of type: Any.Type, _ value: Value?) {
        note(
            FetchError(
                .unknownCase,
                "\(propertyJustTaken) has a value without a case in \(type). Another version of the program wrote "
                    + "the value. Add the case to \(type), declare a case for unknown values with "
                    + "@Attribute(unknown: .other), or update the row in SQL.",
                unknownValue: value))
    }

    /// Keeps the error that the column just taken holds JSON which is not that of the type.
    mutating func noteUndecodable(_ type: Any.Type, _ error: any Error) {
        note(
            FetchError(
                .invalidValue,
                "\(propertyJustTaken) has JSON from which \(type) cannot be decoded\(error.placeInJSON). Another "
                    + "version of the program wrote the JSON. Extend \(type), or update the row in SQL."))
    }

    /// Keeps the error that the column just taken holds bytes which the attribute's transformer refuses.
    mutating func noteUntransformable(_ name: String, _ error: any Error) {
        note(FetchError.untransformable(propertyJustTaken, name, error))
    }

    /// Keeps the error that the column just taken holds what the attribute's type cannot.
    ///
    /// - Parameter value: the value as text, of which the error keeps the beginning.
    mutating func noteUnreadable(
        _ what: String, _ value: String? = nil, underlying: PostgresError? = nil
    ) {
        note(
            FetchError(
                .invalidValue,
                "\(propertyJustTaken) has \(what), which this library did not write. Update the row in SQL.",
                underlying: underlying,
                unknownValue: value.map { .string($0.count > 40 ? $0.prefix(40) + "…" : $0) }))
    }

    /// As ``noteUnreadable(_:_:)``, for dates; generated code calls it by way of the attribute's type.
    @usableFromInline mutating func noteInfiniteDate(_ date: Date) {
        noteUnreadable(
            "an infinite date",
            date.timeIntervalSinceReferenceDate > 0 ? "infinity" : "-infinity")
    }

    /// Keeps the error that a composite has values, but not all that the model requires.
    mutating func checkComposites() {
        for composite in layout.looseComposites
        where composite.columns.contains(where: { !row[Int(positions[$0])].isNull }) {
            guard let missing = composite.required.first(where: { row[Int(positions[$0.column])].isNull })
            else { continue }
            note(
                FetchError(
                    .invalidValue,
                    "\(layout.name).\(missing.path) is NULL in a composite that is not nil, and the model requires a "
                        + "value. Make \(missing.path) optional, or update the row in SQL."))
        }
    }

    /// Keeps the error that a required attribute has no value; its field reads as zero, which nobody wrote.
    mutating func checkRequired() {
        for (column, slot) in layout.requiredColumns where row[Int(positions[column])].isNull {
            return note(
                FetchError(
                    .schemaMismatch,
                    "\(layout.name).\(layout.slots[slot].name) is NULL, and the model requires a value. Update the row in SQL, "
                        + "and make the column NOT NULL again."))
        }
    }

    private var propertyJustTaken: String {
        let taken = ordinal - 1
        let property = layout.slots.first { $0.columns.contains(taken) }?.name ?? "an attribute"
        return "\(layout.name).\(property)"
    }

    /// Takes a typed value from the next columns.
    @inlinable public mutating func read<T: AttributeValue>(_ type: T.Type = T.self) -> T { T._read(&self) }
}

extension Error {
    /// Where in the JSON a decoding stopped, and why; without values.
    fileprivate var placeInJSON: String {
        let (context, what): (DecodingError.Context, String)
        switch self as? DecodingError {
        case .keyNotFound(let key, let found)?: (context, what) = (found, "\(key.stringValue) is missing")
        case .valueNotFound(let type, let found)?:
            (context, what) = (found, "null is in the place of \(Self.shape(type))")
        case .typeMismatch(let type, let found)?:
            (context, what) = (found, "the value is not of type \(Self.shape(type))")
        case .dataCorrupted(let found)?: (context, what) = (found, "the value is malformed")
        default: return ""
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return " (at \(path.isEmpty ? "its root" : String(path.drop { $0 == "." })): \(what))"
    }

    /// What JSON calls what was expected there.
    private static func shape(_ type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "object"
        case is [Any].Type: "array"
        default: "\(type)"
        }
    }
}
