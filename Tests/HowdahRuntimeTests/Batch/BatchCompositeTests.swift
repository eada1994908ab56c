import Howdah
import HowdahTesting
import TestSupport
import Testing

/// Rows that name elements of composites.
@Suite struct BatchCompositeTests {
    private static func model() throws -> ManagedObjectModel {
        let inner = CompositeDescription(
            "Inner", [.init("mark", .string, optional: false), .init("note", .string)])
        let spot = CompositeDescription(
            "Spot",
            [
                .init("lat", .double, optional: false), .init("lon", .double, optional: false),
                .init("inner", .composite(inner)),
            ])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Pin",
                properties: [
                    .attribute("name", .string), .attribute("spot", .composite(spot)),
                    .attribute("home", .composite(spot), optional: false),
                ], uniquenessConstraints: [["name"]])
        ])
    }

    private static let home: [String: any Sendable] = ["lat": 1.0, "lon": 2.0]

    private static func insert(
        _ row: [String: any Sendable], _ policy: MergePolicy.MergeType, _ container: PersistentContainer
    ) async throws {
        try await container.perform { context in
            try context.execute(
                BatchInsertRequest(
                    ManagedObject.self, entityName: "Pin", objects: [row], uniqueness: policy))
        }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump])
    func aWholeAndItsElementsAreTwoValues(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(Self.model()) { container in
            for (whole, row) in [
                ("spot", ["home": Self.home, "spot": Self.home, "spot.lat": 9.0]),
                (
                    "spot.inner",
                    [
                        "home": Self.home, "spot.lat": 1.0, "spot.lon": 1.0, "spot.inner": ["mark": "m"],
                        "spot.inner.note": "n",
                    ]
                ),
            ] as [(String, [String: any Sendable])] {
                let error = await #expect(throws: FetchError.self) {
                    try await Self.insert(row, policy, container)
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.message.contains("Row 1 of Pin sets \(whole) twice") == true)
            }
            let count = try await container.perform { context in
                try context.count(for: FetchRequest<ManagedObject>(entityName: "Pin"))
            }
            #expect(count == 0)
        }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump])
    func theElementThatIsMissingIsNamed(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(Self.model()) { container in
            for (path, row) in [
                ("spot.lon", ["home": Self.home, "spot.lat": 9.0]),
                ("spot.lon", ["home": Self.home, "spot": ["lat": 9.0]]),
                ("home.lat", ["home.lon": 9.0]),
                ("home.inner.mark", ["home.lon": 9.0, "home.lat": 9.0, "home.inner.note": "n"]),
                ("home", ["name": "n"]),
            ] as [(String, [String: any Sendable])] {
                let error = await #expect(throws: SaveError.self) {
                    try await Self.insert(row, policy, container)
                }
                #expect(error?.code == .validation)
                let issue = try #require(error?.issues.first)
                #expect(issue.entityName == "Pin" && issue.propertyName == path && issue.row == 1)
                #expect(issue.code == 1570)
            }
        }
    }

    @Test(arguments: [MergePolicy.MergeType.error, .mergeByPropertyObjectTrump])
    func elementsMakeARequiredWhole(policy: MergePolicy.MergeType) async throws {
        try await withTestStore(Self.model()) { container in
            try await Self.insert(["name": "n", "home.lat": 1.5, "home.lon": 2.5], policy, container)
            try await container.perform { context in
                let pin = try #require(try context.fetch("Pin").first)
                #expect(pin.value(forKeyPath: "home.lon") as? Double == 2.5)
                #expect(pin.value(forKeyPath: "spot") == nil)
            }
        }
    }
}
