// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A program that uses the library; scripts/check-clients builds it with each trait alone.
let kind = ProcessInfo.processInfo.environment["HOWDAH_CLIENT"]
let withoutMacros = kind == "plain"
let postgres = Target.executableTarget(
    name: "Client", dependencies: [.product(name: "PQClient", package: "howdah")], path: "Sources/Postgres")
let howdah = Target.executableTarget(
    name: "Client", dependencies: [.product(name: "Howdah", package: "howdah")],
    // The package manager knows of no use for the folder; the plugin finds it all the same.
    exclude: ["Goods.xcdatamodeld"],
    swiftSettings: withoutMacros ? [.define("PLAIN")] : [],
    plugins: [.plugin(name: "HowdahModelPlugin", package: "howdah")])

let package = Package(
    name: "Client",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "howdah", path: "../..",
            traits: kind == "postgres" ? [] : withoutMacros ? ["Migrations"] : ["Macros"])
    ],
    targets: [kind == "postgres" ? postgres : howdah]
)
