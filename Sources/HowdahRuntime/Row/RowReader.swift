public import Foundation
import HowdahModel
public import PQClient

/// The cursor with which a managed object reads its values from one result row, in the order of its
/// properties.
///
/// Values are copied only when they are read. No column is looked up by name: the positions of a select
/// list's columns are determined once for the whole result.
public struct _RowReader {
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

    /// Returns the next column's cell.
    @inlinable public mutating func next() -> Cell {
        let position = positions[ordinal]
        ordinal &+= 1
        return row[Int(position)]
    }

    /// Skips the next `count` columns if all of them are NULL; true if it did.
    @inlinable public mutating func skipIfNull(_ count: Int) -> Bool {
        for offset in 0..<count where !row[Int(positions[ordinal &+ offset])].isNull { return false }
        ordinal &+= count
        return true
    }

    /// Records the first error of the row; the fetch throws it after the row was read.
    public mutating func note(_ error: any Error) {
        if failure == nil { failure = error }
    }

    /// Records that the last column has a value without a case in an enum.
    mutating func noteUnknownCase(of type: Any.Type, _ value: Value?) {
        note(
            FetchError(
                .unknownCase,
                "\(propertyJustTaken) has a value without a case in \(type). Another version of the program wrote "
                    + "the value. Add the case to \(type), declare a case for unknown values with "
                    + "@Attribute(unknown: .other), or update the row in SQL.",
                unknownValue: value))
    }

    /// Records that the last column has JSON that the type cannot be decoded from.
    mutating func noteUndecodable(_ type: Any.Type, _ error: any Error) {
        note(
            FetchError(
                .invalidValue,
                "\(propertyJustTaken) has JSON from which \(type) cannot be decoded\(error.placeInJSON). Another "
                    + "version of the program wrote the JSON. Extend \(type), or update the row in SQL."))
    }

    /// Records that the last column has bytes that the attribute's transformer refuses.
    mutating func noteUntransformable(_ name: String, _ error: any Error) {
        note(FetchError.untransformable(propertyJustTaken, name, error))
    }

    /// Records that the last column has a value that the attribute's type cannot hold.
    ///
    /// - Parameter value: The value as text, whose beginning the error keeps.
    mutating func noteUnreadable(
        _ what: String, _ value: String? = nil, databaseError: PostgresError? = nil
    ) {
        note(
            FetchError(
                .invalidValue,
                "\(propertyJustTaken) has \(what), which its Swift type cannot hold. Another program wrote "
                    + "this value. Correct the row in SQL.",
                databaseError: databaseError,
                unknownValue: value.map { .string($0.count > 40 ? $0.prefix(40) + "…" : $0) }))
    }

    /// Records an invalid date; generated code calls it through the attribute's type.
    @usableFromInline mutating func noteInfiniteDate(_ date: Date) {
        noteUnreadable(
            "an infinite date",
            date.timeIntervalSinceReferenceDate > 0 ? "infinity" : "-infinity")
    }

    /// Records an error if a composite has values, but not all that the model requires.
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

    /// Records an error if a required attribute has no value. Its field would read as zero, which was never
    /// written.
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

    /// Reads a typed value from the next columns.
    @inlinable public mutating func read<T: AttributeValue>(_ type: T.Type = T.self) -> T { T._read(&self) }
}

extension Error {
    /// The place in the JSON at which decoding stopped, and the reason; without values.
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

    /// Returns the JSON name of an expected type.
    private static func shape(_ type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "object"
        case is [Any].Type: "array"
        default: "\(type)"
        }
    }
}
