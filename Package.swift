// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "howdah",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Howdah", targets: ["Howdah"]),
        .library(name: "HowdahTesting", targets: ["HowdahTesting"]),
        .library(name: "LocalPostgres", targets: ["LocalPostgres"]),
        .library(name: "HowdahCommands", targets: ["HowdahCommands"]),
        .executable(name: "howdah", targets: ["HowdahTool"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "PQClient", dependencies: ["CLibPQ"]),
        .target(
            name: "HowdahModel",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "HowdahMigration", dependencies: ["PQClient", "HowdahModel"]),
        .target(
            name: "HowdahRuntime",
            dependencies: [
                "PQClient", "HowdahModel", "HowdahMigration",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "Howdah", dependencies: ["HowdahRuntime", "HowdahModel", "PQClient"]),
        .target(name: "LocalPostgres"),
        .target(
            name: "HowdahCommands",
            dependencies: [
                "LocalPostgres", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "HowdahTool",
            dependencies: [
                "HowdahCommands", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .target(
            name: "HowdahTesting",
            dependencies: ["HowdahRuntime", "LocalPostgres", "PQClient", "HowdahModel"]),

        .testTarget(name: "PQClientTests", dependencies: ["PQClient", "LocalPostgres"]),
        .testTarget(name: "HowdahModelTests", dependencies: ["HowdahModel"]),
        .testTarget(
            name: "HowdahMigrationTests",
            dependencies: ["HowdahMigration", "HowdahModel", "PQClient", "LocalPostgres"]),
        .testTarget(name: "HowdahCommandsTests", dependencies: ["HowdahTool", "LocalPostgres"]),
        .testTarget(
            name: "LocalPostgresTests", dependencies: ["LocalPostgres", "LocalPostgresOwner"]),
        .executableTarget(
            name: "LocalPostgresOwner", dependencies: ["LocalPostgres"], path: "Tests/LocalPostgresOwner"),
        .testTarget(
            name: "HowdahRuntimeTests",
            dependencies: [
                "Howdah", "HowdahRuntime", "HowdahTesting", "HowdahModel", "PQClient", "LocalPostgres", "CrashWriter",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .executableTarget(name: "CrashWriter", dependencies: ["Howdah"], path: "Tests/CrashWriter"),
        .testTarget(name: "CompileFailureTests", dependencies: ["Howdah"], exclude: ["Programs"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
