// swift-tools-version: 6.2
import PackageDescription

// The issue tracker. Copy the folder, and replace the path of howdah by its address and a version.
let package = Package(
    name: "Tracker",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "Tracker", targets: ["Tracker"])],
    dependencies: [
        .package(name: "howdah", path: "../..", traits: ["All"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.3.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.1.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        .executableTarget(
            name: "Tracker",
            dependencies: [
                .product(name: "Howdah", package: "howdah"),
                .product(name: "HowdahBrowse", package: "howdah"),
                .product(name: "HowdahBrowseServer", package: "howdah"),
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // The package manager knows of no use for the model; the plug-in finds it all the same.
            exclude: ["Model/Tracker.xcdatamodeld"],
            swiftSettings: [.treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "HowdahModelPlugin", package: "howdah")]),
        .testTarget(
            name: "TrackerTests",
            dependencies: [
                "Tracker",
                .product(name: "Howdah", package: "howdah"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HowdahModelFile", package: "howdah"),
                .product(name: "HowdahTesting", package: "howdah"),
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "PQClient", package: "howdah"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
