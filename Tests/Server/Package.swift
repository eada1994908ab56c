// swift-tools-version: 6.2
import PackageDescription

// A server on Hummingbird, the tests of the trait Telemetry with the in-memory back ends of swift-metrics and
// swift-distributed-tracing, and those of the trait Browser. scripts/check-server runs two servers and asks them over
// HTTP, and scripts/check-telemetry runs the tests. Examples/Tracker has the same trait and dependencies, so that one build folder serves both packages.
let package = Package(
    name: "Server",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "howdah", path: "../..", traits: ["All"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        // For tests alone; Hummingbird fetches it for its own.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.3.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.9.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        .executableTarget(
            name: "Server",
            dependencies: [
                .product(name: "Howdah", package: "howdah"),
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                // Never used: what only the tracker needs would be fetched and compiled again after each build of this.
                .product(name: "JWTKit", package: "jwt-kit", condition: .when(platforms: [.windows])),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
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
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "BrowseServerTests",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Howdah", package: "howdah"),
                .product(name: "HowdahBrowse", package: "howdah"),
                .product(name: "HowdahBrowseServer", package: "howdah"),
                .product(name: "HowdahTesting", package: "howdah"),
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "Hummingbird", package: "hummingbird"),
                // The program that the tests run.
                .product(name: "howdah", package: "howdah"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Howdah", package: "howdah"),
                .product(name: "HowdahBrowse", package: "howdah"),
                .product(name: "HowdahBrowseServer", package: "howdah"),
                .product(name: "HowdahTesting", package: "howdah"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "PQClient", package: "howdah"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
