import Foundation
import Howdah

/// A composite of optional members, one of them a composite.
struct Place: CompositeValue {
    var name: String?
    var spot: Spot?
    var seenAt: Date?

    static let compositeDescription = CompositeDescription(
        "Place",
        [
            AttributeDescription("name", .string),
            AttributeDescription("spot", .composite(Spot.compositeDescription)),
            AttributeDescription("seenAt", .date),
        ])

    static var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Place.name, "name"),
            _PropertyKeyPath(\Place.spot, "spot"),
            _PropertyKeyPath(\Place.seenAt, "seenAt"),
        ]
    }
    static var _columnCount: Int { String._columnCount + Spot._columnCount + Date._columnCount }
    static var _zero: Place { Place(name: nil, spot: nil, seenAt: nil) }

    init(name: String?, spot: Spot?, seenAt: Date?) {
        self.name = name
        self.spot = spot
        self.seenAt = seenAt
    }

    init(_row row: inout _RowReader) {
        name = row.read()
        spot = row.read()
        seenAt = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 3,
            let name = String?._make(elements[0]),
            let spot = Spot?._make(elements[1]),
            let seenAt = Date?._make(elements[2])
        else { return nil }
        self.init(name: name, spot: spot, seenAt: seenAt)
    }

    var _elements: [Value] { [name._value, spot._value, seenAt._value] }
}
