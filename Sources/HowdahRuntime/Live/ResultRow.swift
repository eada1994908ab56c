import Foundation
import HowdahModel

/// An object of a followed result, with its place in the order.
struct ResultRow: Sendable {
    let id: ObjectID<ManagedObject>
    let place: MemoryOrder.Place
    /// The name of its section; empty without sections.
    let section: String
}

extension Value {
    /// The name of the section of objects with this value; nil for a value that names none.
    ///
    /// Values that are equal for the database have one name.
    var sectionName: String? {
        switch self {
        case .null: ""
        case .string(let text): text
        case .bool(let bool): bool ? "true" : "false"
        case .int(let number): "\(number)"
        case .double(let number): number == 0 ? "0.0" : "\(number)"
        case .float(let number): number == 0 ? "0.0" : "\(number)"
        case .decimal(let number): "\(number)"
        case .date(let date): date.sectionName
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .uri(let url): url.absoluteString
        case .data, .composite, .array, .reference: nil
        }
    }
}

extension AttributeDescription {
    /// A Boolean value that indicates whether values of the attribute can name sections.
    var namesSections: Bool {
        switch type.kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .uuid,
            .uri:
            true
        case .undefined, .binary, .transformable, .composite, .array: false
        }
    }
}

extension Date {
    /// The date in UTC, in whole microseconds.
    fileprivate var sectionName: String {
        let micros = (timeIntervalSinceReferenceDate * 1_000_000).rounded()
        guard micros.magnitude < 1e18 else { return "\(timeIntervalSinceReferenceDate)" }
        let (whole, fraction) = (Int64(micros) / 1_000_000, Int64(micros) % 1_000_000)
        let seconds = fraction < 0 ? whole - 1 : whole
        let rest = fraction < 0 ? fraction + 1_000_000 : fraction
        let text = Date(timeIntervalSinceReferenceDate: Double(seconds)).formatted(.iso8601)
        guard rest != 0 else { return text }
        let digits = String(rest)
        return text.replacing("Z", with: ".\(String(repeating: "0", count: 6 - digits.count))\(digits)Z")
    }
}
