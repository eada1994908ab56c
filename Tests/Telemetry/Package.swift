// swift-tools-version: 6.2
import PackageDescription

// The trait Telemetry with the in-memory back ends of swift-metrics and swift-distributed-tracing;
// scripts/check-telemetry runs its tests.
let package = Package(
    name: "Telemetry",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "howdah", path: "../..", traits: ["Migrations", "Telemetry"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.9.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        .testTarget(
            name: "TelemetryTests",
            dependencies: [
                .product(name: "Howdah", package: "howdah"),
                .product(name: "HowdahTesting", package: "howdah"),
                .product(name: "PQClient", package: "howdah"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
