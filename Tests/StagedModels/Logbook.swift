package import Howdah

/// Four versions of an aircraft logbook: flight data that was a text of the aircraft becomes objects of its own.
package enum Logbook {
    package enum V1: VersionedSchema {
        package static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Aircraft",
                        properties: [registration, .attribute("remarks", .string), flightData])
                ])
            }
        }
    }

    /// Has both shapes, so that values can be moved.
    package enum V2: VersionedSchema {
        package static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Aircraft",
                        properties: [registration, .attribute("remarks", .string), flightData, flights]),
                    flight(isRequired: false),
                ])
            }
        }
    }

    package enum V3: VersionedSchema {
        package static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Aircraft", properties: [registration, .attribute("remarks", .string), flights]),
                    flight(isRequired: false),
                ])
            }
        }
    }

    package enum V4: VersionedSchema {
        package static var model: ManagedObjectModel {
            get throws {
                try ManagedObjectModel(entities: [
                    EntityDescription(
                        "Aircraft",
                        properties: [
                            registration, .attribute("remarks", .string, optional: false), flights,
                            .attribute("flightCount", .integer64, optional: false, default: .int(0)),
                        ]),
                    flight(isRequired: true),
                ])
            }
        }
    }

    package static let versions: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self, V4.self]

    private static var registration: PropertyDescription {
        .attribute("registration", .string, optional: false)
    }
    private static var flightData: PropertyDescription { .attribute("flightData", .string) }
    private static var flights: PropertyDescription {
        .relationship("flights", to: "Flight", inverse: "aircraft", toMany: true, deleteRule: .cascade)
    }

    private static func flight(isRequired: Bool) -> EntityDescription {
        EntityDescription(
            "Flight",
            properties: [
                .attribute("data", .string),
                .relationship("aircraft", to: "Aircraft", inverse: "flights", optional: !isRequired),
            ])
    }
}
