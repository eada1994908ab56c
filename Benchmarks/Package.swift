// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [.library(name: "Counting", type: .dynamic, targets: ["Counting"])],
    dependencies: [
        .package(name: "howdah", path: "..", traits: ["Migrations", "Telemetry"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    ],
    targets: [
        .target(name: "Counting", cSettings: [.unsafeFlags(["-O2", "-Wall"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .executableTarget(
            name: "Limit", dependencies: ["CPostgres"], cSettings: [.unsafeFlags(["-O2", "-Wall"])]),
        .executableTarget(
            name: "HowdahBench",
            dependencies: [
                .product(name: "Howdah", package: "howdah"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name.contains("Bench") {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
