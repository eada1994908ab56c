package import Howdah

extension Logbook {
    /// A way from the first version to the last.
    package enum Way: String, CaseIterable, Sendable {
        /// By inference and handlers.
        case staged
        /// By a mapping model and a migration policy, after a stage by inference.
        case mapped

        package var plan: any SchemaMigrationPlan.Type {
            self == .staged ? Plan.self : MappedPlan.self
        }

        package var versions: [any VersionedSchema.Type] {
            self == .staged ? Logbook.versions : [V1.self, V2.self, V4.self]
        }

        /// What the ledger calls the stages.
        package var labels: [String] {
            zip(versions, versions.dropFirst()).map { "\($0) → \($1)" }
        }
    }

    /// Flight data becomes flights in a stage with a mapping model.
    package enum MappedPlan: SchemaMigrationPlan {
        package static var stages: [MigrationStage] {
            [
                .lightweight(V1.self, to: V2.self),
                .mapped(
                    from: V2.self, to: V4.self, mapping: mapping,
                    policies: ["AircraftPolicy": AircraftPolicy.self]),
            ]
        }

        private static var mapping: MappingModel {
            MappingModel(entityMappings: [
                EntityMapping(
                    from: "Aircraft", to: "Aircraft",
                    attributeMappings: [PropertyMapping("registration", .source("registration"))],
                    entityMigrationPolicyClassName: "AircraftPolicy"),
                EntityMapping(
                    from: "Flight", to: "Flight",
                    attributeMappings: [PropertyMapping("data", .source("data"))]),
            ])
        }
    }

    private final class AircraftPolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            let aircraft = manager.destinationContext.insert("Aircraft")
            try manager.setAttributes(of: aircraft, from: source, in: mapping)
            aircraft["remarks"] = source["remarks"] ?? "none"
            let data = source["flightData"] as? String ?? ""
            for part in data.split(separator: ",") {
                let flight = manager.destinationContext.insert("Flight")
                flight["data"] = String(part)
                flight["aircraft"] = aircraft
            }
            try manager.associate(sourceInstance: source, withDestinationInstance: aircraft, for: mapping)
        }

        override func createRelationships(
            forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            destination["flightCount"] = destination.members(forKey: "flights").count
        }
    }
}
