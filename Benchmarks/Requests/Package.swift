// swift-tools-version: 6.2
import PackageDescription

// Three endpoints of Examples/Tracker, written with SQL on PQClient; scripts/bench-tracker compares both.
let package = Package(
    name: "Comparison",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "howdah", path: "../..", traits: ["Server"]),
        .package(name: "Tracker", path: "../../Examples/Tracker"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.3.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .executableTarget(
            name: "ServerWithSQL",
            dependencies: [
                .product(name: "LocalPostgres", package: "howdah"),
                .product(name: "PQClient", package: "howdah"),
                .product(name: "Tracker", package: "Tracker"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
