import Foundation
import Howdah

/// A composite with a required and an optional member.
struct Spot: CompositeValue {
    var x: Double
    var y: Float?

    static let compositeDescription = CompositeDescription(
        "Spot",
        [
            AttributeDescription("x", .double, optional: false),
            AttributeDescription("y", .float),
        ])

    static var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Spot.x, "x"),
            _PropertyKeyPath(\Spot.y, "y"),
        ]
    }
    static var _columnCount: Int { Double._columnCount + Float._columnCount }
    static var _zero: Spot { Spot(x: Double._zero, y: nil) }

    init(x: Double, y: Float?) {
        self.x = x
        self.y = y
    }

    init(_row row: inout _RowReader) {
        x = row.read()
        y = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 2,
            let x = Double._make(elements[0]),
            let y = Float?._make(elements[1])
        else { return nil }
        self.init(x: x, y: y)
    }

    var _elements: [Value] { [x._value, y._value] }
}
