// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Returns a dependency for a trait that needs it, and for each trait that stands for that one and others.
///
/// Each has one trait: of several in one condition Swift 6.2 requires all, and Swift 6.3 any.
func needed(
    by trait: String, _ dependency: (TargetDependencyCondition) -> Target.Dependency
) -> [Target.Dependency] {
    let wider = [
        "Macros": ["Full", "Server", "Browser", "All"], "Migrations": ["Full", "Server", "Browser", "All"],
        "CommandLine": ["Full", "Server", "Browser", "All"],
        "ServiceLifecycle": ["Server", "All"], "Configuration": ["Server", "All"],
        "Telemetry": ["Server", "All"], "Browser": ["All"],
    ]
    let traits = [trait] + (wider[trait] ?? [])
    return traits.compactMap { .when(traits: [$0]) }.map(dependency)
}

let package = Package(
    name: "howdah",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Howdah", targets: ["Howdah"]),
        .library(name: "HowdahBrowse", targets: ["HowdahBrowse"]),
        .library(name: "HowdahBrowseServer", targets: ["HowdahBrowseServer"]),
        .library(name: "HowdahModelFile", targets: ["HowdahModelFile"]),
        .library(name: "HowdahSampleData", targets: ["HowdahSampleData"]),
        .library(name: "HowdahTesting", targets: ["HowdahTesting"]),
        .library(name: "HowdahTestingTraits", targets: ["HowdahTestingTraits"]),
        .library(name: "LocalPostgres", targets: ["LocalPostgres"]),
        .library(name: "PQClient", targets: ["PQClient"]),
        .library(name: "HowdahCommands", targets: ["HowdahCommands"]),
        .executable(name: "howdah", targets: ["HowdahTool"]),
        .plugin(name: "HowdahModelPlugin", targets: ["HowdahModelPlugin"]),
    ],
    traits: [
        .trait(
            name: "Macros",
            description:
                "@Entity, @Composite, @Attribute, @Relationship; without it swift-syntax is not compiled"),
        .trait(
            name: "Migrations",
            description:
                "Migration on opening: stages, handlers, inference; without it no planner is compiled"),
        .trait(
            name: "CommandLine",
            description:
                "The tool howdah, for swift run howdah; without it ArgumentParser and Yams are not fetched"),
        .trait(
            name: "ServiceLifecycle",
            description: "The container as a Service, closed by a graceful shutdown"),
        .trait(
            name: "Configuration",
            description: "Options and the address of the database from a ConfigReader of swift-configuration"),
        .trait(
            name: "Telemetry",
            description: "Metrics and traces by OpenTelemetry's conventions for databases"),
        .trait(
            name: "Full",
            description: "Macros, Migrations and CommandLine"),
        .trait(
            name: "Server",
            description: "Full, ServiceLifecycle, Configuration and Telemetry"),
        .trait(
            name: "Browser",
            description:
                "Full and howdah browse, also in a server; without it Hummingbird is not fetched"),
        .trait(
            name: "All",
            description: "Server and Browser"),
        // One name: the package manager passes the names of several traits to the compiler in a random order, and each
        // other order compiles everything again (SwiftPM 10525).
        .default(enabledTraits: ["Full"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.0.0", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "PQClient", dependencies: ["CLibPQ"]),
        .target(name: "HowdahModel"),
        .target(name: "HowdahModelFile", dependencies: ["HowdahModel"]),
        .target(name: "HowdahDiagram", dependencies: ["HowdahModel"]),
        .target(name: "HowdahNames"),
        .target(name: "HowdahGeneration", dependencies: ["HowdahModel", "HowdahNames"]),
        .target(name: "HowdahSchema", dependencies: ["PQClient", "HowdahModel"]),
        .target(name: "HowdahMigration", dependencies: ["HowdahSchema", "PQClient", "HowdahModel"]),
        .target(
            name: "HowdahRuntime",
            dependencies: [
                "CLibPQ", "PQClient", "HowdahModel", "HowdahSchema",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "HowdahStages",
            dependencies: [
                "HowdahRuntime", "HowdahMigration", "HowdahSchema", "HowdahModel", "PQClient",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "HowdahJSON", dependencies: ["HowdahRuntime", "HowdahModel", "PQClient"]),
        .target(
            name: "HowdahBrowse",
            dependencies: [
                "HowdahDiagram", "HowdahGeneration", "HowdahMigration", "HowdahModel", "HowdahRuntime",
                "HowdahSchema", "PQClient",
            ]),
        .target(
            name: "HowdahBrowseServer",
            dependencies: [
                "HowdahBrowse", "HowdahRuntime", .product(name: "Logging", package: "swift-log"),
            ]
                + [
                    ("Hummingbird", "hummingbird"), ("HTTPTypes", "swift-http-types"),
                    ("NIOCore", "swift-nio"), ("ServiceLifecycle", "swift-service-lifecycle"),
                    ("UnixSignals", "swift-service-lifecycle"),
                ].flatMap { name, package in
                    needed(by: "Browser") { .product(name: name, package: package, condition: $0) }
                }),
        .macro(
            name: "HowdahMacros",
            dependencies: [
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
                "SwiftSyntaxMacros",
            ].flatMap { name in
                needed(by: "Macros") { .product(name: name, package: "swift-syntax", condition: $0) }
            } + [
                "HowdahNames"
            ]),
        .target(
            name: "Howdah",
            dependencies: [
                "HowdahRuntime", "HowdahJSON", "HowdahSchema", "HowdahModel", "PQClient",
            ] + needed(by: "Migrations") { .target(name: "HowdahStages", condition: $0) }
                + needed(by: "Migrations") { .target(name: "HowdahMigration", condition: $0) }
                + needed(by: "Macros") { .target(name: "HowdahMacros", condition: $0) }
                + needed(by: "ServiceLifecycle") {
                    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: $0)
                }
                + needed(by: "Configuration") {
                    .product(name: "Configuration", package: "swift-configuration", condition: $0)
                }
                + needed(by: "Telemetry") {
                    .product(name: "CoreMetrics", package: "swift-metrics", condition: $0)
                }
                + needed(by: "Telemetry") {
                    .product(name: "Tracing", package: "swift-distributed-tracing", condition: $0)
                }),
        .target(name: "HowdahSampleData", dependencies: ["HowdahModel", "HowdahRuntime"]),
        .target(name: "LocalPostgres"),
        .target(
            name: "HowdahCommands",
            dependencies: [
                "HowdahDiagram", "HowdahGeneration", "HowdahMigration", "HowdahSchema", "HowdahModel",
                "HowdahModelFile",
                "HowdahJSON", "HowdahRuntime", "HowdahStages", "HowdahSampleData", "LocalPostgres",
                "PQClient",
            ]
                + needed(by: "CommandLine") {
                    .product(name: "ArgumentParser", package: "swift-argument-parser", condition: $0)
                } + needed(by: "CommandLine") { .product(name: "Yams", package: "Yams", condition: $0) }
                + needed(by: "Browser") { .target(name: "HowdahBrowse", condition: $0) }
                + needed(by: "Browser") { .target(name: "HowdahBrowseServer", condition: $0) }),
        .executableTarget(
            name: "HowdahTool",
            dependencies: ["HowdahCommands"]
                + needed(by: "CommandLine") {
                    .product(name: "ArgumentParser", package: "swift-argument-parser", condition: $0)
                }),
        .executableTarget(
            name: "HowdahGenerateTool", dependencies: ["HowdahGeneration", "HowdahModel", "HowdahModelFile"]),
        .plugin(
            name: "HowdahModelPlugin", capability: .buildTool(), dependencies: ["HowdahGenerateTool"]),
        .target(
            name: "HowdahTesting",
            dependencies: ["HowdahJSON", "HowdahRuntime", "LocalPostgres", "PQClient", "HowdahModel"]),
        .target(
            name: "HowdahTestingTraits",
            dependencies: ["HowdahModel", "HowdahRuntime", "HowdahSampleData", "HowdahTesting", "PQClient"]),

        .testTarget(name: "PQClientTests", dependencies: ["PQClient", "LocalPostgres", "SeededRandom"]),
        .testTarget(name: "HowdahModelTests", dependencies: ["HowdahModel", "SeededRandom"]),
        .testTarget(name: "HowdahDiagramTests", dependencies: ["HowdahDiagram", "HowdahModel"]),
        .testTarget(
            name: "HowdahModelFileTests",
            dependencies: [
                "HowdahModelFile", "HowdahModel", "HowdahMigration", "HowdahSchema", "Howdah",
                "HowdahSampleData",
                "HowdahTesting",
                "ModelCorpus", "PQClient", "TestSupport",
            ]),
        .target(
            name: "ModelCorpus", dependencies: ["HowdahModelFile", "TestSupport"], path: "Tests/ModelCorpus"),
        .testTarget(
            name: "HowdahSampleDataTests",
            dependencies: [
                "HowdahJSON", "TestSupport",
                "DeclaredModels", "HowdahSampleData", "HowdahModel", "HowdahRuntime", "HowdahTesting",
                "PQClient",
            ]),
        .testTarget(
            name: "HowdahGenerationTests",
            dependencies: [
                "Howdah", "HowdahGenerateTool", "HowdahGeneration", "HowdahModel", "HowdahTesting",
                "GeneratedModels", "HowdahModelFile", "ModelCorpus", "TestSupport",
            ]),
        .target(name: "GeneratedModels", dependencies: ["Howdah"], path: "Tests/GeneratedModels"),
        .testTarget(
            name: "HowdahMigrationTests",
            dependencies: [
                "HowdahStages",
                "Howdah", "HowdahMigration", "HowdahSchema", "HowdahModel", "HowdahModelFile",
                "HowdahRuntime",
                "HowdahSampleData",
                "HowdahTesting", "ModelCorpus", "PQClient", "LocalPostgres", "SeededRandom", "TestSupport",
            ]),
        .testTarget(
            name: "HowdahCommandsTests",
            dependencies: [
                "HowdahMigration", "HowdahRuntime", "HowdahSchema",
                "Howdah", "HowdahTool", "HowdahTesting", "LocalPostgres", "MigrationProgram", "PQClient",
                "StagedModels", "TestSupport", "TracksToArtists",
            ]),
        .executableTarget(
            name: "MigrationProgram", dependencies: ["Howdah", "HowdahCommands", "StagedModels"],
            path: "Tests/MigrationProgram"),
        .executableTarget(
            name: "TracksToArtists", dependencies: ["Howdah", "HowdahCommands", "HowdahModelFile"],
            path: "migrations/tracks-to-artists/Sources", resources: [.copy("Tracks.xcdatamodeld")]),
        .testTarget(
            name: "LocalPostgresTests", dependencies: ["LocalPostgres", "LocalPostgresOwner", "TestSupport"]),
        .executableTarget(
            name: "LocalPostgresOwner", dependencies: ["LocalPostgres"], path: "Tests/LocalPostgresOwner"),
        .testTarget(
            name: "HowdahSchemaTests",
            dependencies: [
                "HowdahModel", "HowdahModelFile", "HowdahSchema", "HowdahMigration", "HowdahTesting",
                "LocalPostgres",
                "PQClient", "TestSupport",
            ]),
        .testTarget(
            name: "HowdahJSONTests",
            dependencies: [
                "Howdah", "HowdahJSON", "HowdahModel", "HowdahRuntime", "HowdahTesting", "PQClient",
                "TestSupport",
            ]),
        .testTarget(
            name: "HowdahBrowseTests",
            dependencies: [
                "DeclaredModels", "Howdah", "HowdahBrowse", "HowdahMigration", "HowdahModel", "HowdahRuntime",
                "HowdahTesting", "LocalPostgres", "PQClient",
                "TestSupport",
            ]),
        .testTarget(
            name: "HowdahStagesTests",
            dependencies: [
                "Howdah", "HowdahMigration", "HowdahModel", "HowdahRuntime", "HowdahSchema", "HowdahStages",
                "HowdahTesting", "LocalPostgres", "PQClient", "CrashWriter", "StagedModels", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "HowdahRuntimeTests",
            dependencies: [
                "SeededRandom",
                "Howdah", "HowdahMigration", "HowdahSchema", "HowdahJSON", "HowdahStages", "HowdahRuntime",
                "HowdahTesting",
                "HowdahModel", "PQClient",
                "LocalPostgres", "CrashWriter", "DeclaredModels", "StagedModels", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "DeclaredModels", dependencies: ["Howdah"], path: "Tests/DeclaredModels"),
        .testTarget(
            name: "HowdahMacrosTests", dependencies: ["Howdah", "TestSupport"], exclude: ["Snapshots"]),
        .target(
            name: "TestSupport",
            dependencies: [
                "HowdahModel", "HowdahRuntime", "HowdahTesting", "LocalPostgres", "PQClient", "SeededRandom",
            ],
            path: "Tests/TestSupport"),
        .target(name: "SeededRandom", dependencies: ["HowdahModel"], path: "Tests/SeededRandom"),
        .testTarget(
            name: "DeclarationTests",
            dependencies: [
                "Howdah", "DeclaredModels", "HowdahModelFile", "HowdahTesting", "HowdahTestingTraits",
                "TestSupport",
            ],
            // The examples of the guides see of the library only what a user's program sees.
            packageAccess: false),
        .testTarget(
            name: "FailoverTests",
            dependencies: [
                "Howdah", "HowdahMigration", "HowdahModel", "HowdahRuntime", "HowdahTesting", "PQClient",
                "TestSupport",
            ]),
        .testTarget(
            name: "HowdahTestingTraitsTests",
            dependencies: ["Howdah", "HowdahTesting", "HowdahTestingTraits"]),
        .testTarget(name: "MainActorTests", dependencies: ["Howdah", "HowdahTesting"]),
        .target(
            name: "StagedModels",
            dependencies: ["Howdah", .product(name: "Logging", package: "swift-log")],
            path: "Tests/StagedModels"),
        .executableTarget(
            name: "CrashWriter",
            dependencies: [
                "Howdah", "StagedModels", "TestSupport", .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/CrashWriter"),
        .testTarget(
            name: "CompileFailureTests", dependencies: ["Howdah", "TestSupport"], exclude: ["Programs"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
for target in package.targets where target.name == "MainActorTests" {
    target.swiftSettings?.append(.defaultIsolation(MainActor.self))
}
