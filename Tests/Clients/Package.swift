// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A program that uses the library; scripts/check-clients builds it with each trait alone.
let withoutMacros = ProcessInfo.processInfo.environment["HOWDAH_CLIENT"] == "plain"

let package = Package(
    name: "Client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "howdah", path: "../..", traits: withoutMacros ? ["Migrations"] : ["Macros"])
    ],
    targets: [
        .executableTarget(
            name: "Client", dependencies: [.product(name: "Howdah", package: "howdah")],
            // The package manager knows of no use for the folder; the plugin finds it all the same.
            exclude: ["Goods.xcdatamodeld"],
            swiftSettings: withoutMacros ? [.define("PLAIN")] : [],
            plugins: [.plugin(name: "HowdahModelPlugin", package: "howdah")])
    ]
)
