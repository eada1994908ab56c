// expect: nothing
// The examples of docs/declaring.md.
import Foundation
import Howdah

@Composite struct Location {
    var latitude: Double
    var longitude: Double
}

@Entity class Place: ManagedObject {
    @Attribute(.unique, maximumLength: 80) var name: String
    var visits: Int = 0
    var addedAt: Date = Date()
    var location: Location?
    private(set) var note: String?
    @Relationship(.required, inverse: "places") var country: Country?
}

@Entity final class Museum: Place {
    @Relationship(deleteRule: .cascade, inverse: "museum") var rooms: ToMany<Room>
}

func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Place.self, Museum.self, Country.self, Room.self)
}

@Entity final class Country: ManagedObject {
    @Attribute(.unique) var code: String
    @Relationship(deleteRule: .deny, inverse: "country") var places: ToMany<Place>
}

@Entity final class Room: ManagedObject {
    var number: Int
    @Relationship(inverse: "rooms") var museum: Museum?
}

enum Status: String, AttributeEnum { case draft, sent }

struct Settings: AttributeJSON {
    var theme = "light"
    var window: Window?
}

struct Window: Codable, Hashable {
    var width = 0
}

@Entity class Letter: ManagedObject {
    var status: Status = .draft
    var tags: [String] = []
    var settings: Settings = Settings()
}

struct Colour: AttributeTransformable {
    static let valueTransformerName = "ColourTransformer"
    var red: UInt8 = 0

    init() {}
    init(transformed data: Data) throws { red = data.first ?? 0 }
    func transformed() throws -> Data { Data([red]) }
}

struct Palette: Sendable {
    init(data: Data) throws {}
    func data() throws -> Data { Data() }
}

@Entity class Picture: ManagedObject {
    var ink: Colour?
    @Attribute(valueTransformerName: "PaletteTransformer") var palette: Data?
}

func options() -> StoreOptions {
    var options = StoreOptions()
    options.valueTransformers = [
        AttributeTransformer(Colour.self),
        AttributeTransformer(
            "PaletteTransformer", encode: { (palette: Palette) in try palette.data() },
            decode: Palette.init(data:)),
    ]
    return options
}
