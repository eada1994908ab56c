import Foundation
import Howdah

/// A composite with a required member and an optional composite.
struct Box: CompositeValue {
    var width: Int32
    var tag: String?
    var spot: Spot?

    static let compositeDescription = CompositeDescription(
        "Box",
        [
            AttributeDescription("width", .integer32, optional: false),
            AttributeDescription("tag", .string),
            AttributeDescription("spot", .composite(Spot.compositeDescription)),
        ])

    static var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Box.width, "width"),
            _PropertyKeyPath(\Box.tag, "tag"),
            _PropertyKeyPath(\Box.spot, "spot"),
        ]
    }
    static var _columnCount: Int { Int32._columnCount + String._columnCount + Spot._columnCount }
    static var _zero: Box { Box(width: Int32._zero, tag: nil, spot: nil) }

    init(width: Int32, tag: String?, spot: Spot?) {
        self.width = width
        self.tag = tag
        self.spot = spot
    }

    init(_row row: inout _RowReader) {
        width = row.read()
        tag = row.read()
        spot = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 3,
            let width = Int32._make(elements[0]),
            let tag = String?._make(elements[1]),
            let spot = Spot?._make(elements[2])
        else { return nil }
        self.init(width: width, tag: tag, spot: spot)
    }

    var _elements: [Value] { [width._value, tag._value, spot._value] }
}
