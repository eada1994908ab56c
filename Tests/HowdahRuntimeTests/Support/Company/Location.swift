import Howdah

struct Location: CompositeValue {
    var latitude: Double
    var longitude: Double

    static let compositeDescription = CompositeDescription(
        "Location",
        [
            AttributeDescription("latitude", .double, optional: false),
            AttributeDescription("longitude", .double, optional: false),
        ])

    static var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Location.latitude, "latitude"),
            _PropertyKeyPath(\Location.longitude, "longitude"),
        ]
    }
    static var _columnCount: Int { 2 }
    static var _zero: Location { Location(latitude: 0, longitude: 0) }

    init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    init(_row row: inout _RowReader) {
        latitude = row.read()
        longitude = row.read()
    }

    init?(_elements elements: [Value]) {
        guard elements.count == 2, let latitude = Double._make(elements[0]),
            let longitude = Double._make(elements[1])
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    var _elements: [Value] { [latitude._value, longitude._value] }
}
