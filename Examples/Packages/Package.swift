// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Packages",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "howdah-demo", targets: ["HowdahDemo"])],
    dependencies: [.package(name: "howdah", path: "../..", traits: ["CommandLine"])],
    targets: [
        .executableTarget(
            name: "HowdahDemo",
            dependencies: [
                .product(name: "Howdah", package: "howdah"),
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "howdah", package: "howdah"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ])
    ],
    swiftLanguageModes: [.v6]
)
