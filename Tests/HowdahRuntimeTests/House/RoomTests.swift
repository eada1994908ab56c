import Foundation
import TestSupport
import Testing

/// Rooms name only rooms before them; this reads the sources and says which do not.
///
/// It compares types, functions, properties, constants and cases that neither a lower room nor an imported
/// module declares. Only a label or a type can distinguish the others: initializers, and members of one name
/// in several rooms.
@Suite struct RoomTests {
    /// What remains to be turned round: the list can only get shorter.
    private static let known: Set<String> = [
        "HowdahRuntime/Row/RowReader+Value.swift → _value",
        "HowdahRuntime/Row/RowReader.swift → AttributeValue",
        "HowdahRuntime/Row/RowReader.swift → _read",
        "HowdahRuntime/Store/Store.swift → StoreNotices",
    ]

    private static let sources = Repository.root.appending(path: "Sources")

    @Test func noRoomNamesALaterOne() throws {
        var uses: Set<String> = []
        let modules = try Dictionary(
            uniqueKeysWithValues: House.rooms.map { ($0.module, try Self.files(of: $0.module)) })
        for (module, rooms) in House.rooms {
            let files = modules[module] ?? [:]
            #expect(
                Set(files.keys).subtracting([House.root]) == Set(rooms.joined()), "the rooms of \(module)")
            let others = modules.filter { $0.key != module }.mapValues { Array($0.values.joined()) }
            let check = RoomCheck(module, rooms + [[House.root]], files, others)
            uses.formUnion(check.upward())
            guard module == "HowdahRuntime" else { continue }
            let (found, missed) = check.coverage(of: "Context")
            #expect(found.count > 450, "\(missed.count) names stand for something else, too")
        }
        let new = uses.subtracting(Self.known).sorted()
        #expect(new == [], "name lower rooms only, or move what you name")
        let gone = Self.known.subtracting(uses).sorted()
        #expect(gone == [], "take these off the list")
        #expect(Self.known.count <= 4)
    }

    /// A use that is there is found: of a type, and of a member in an interpolation.
    @Test func aUseIsSeen() {
        let lower = SourceText(
            name: "Lower.swift",
            """
            struct Lower {
                // Upper is only mentioned here.
                let text = "Upper and \\(self.upperMember("Upper")) and no otherMember"
            }
            """)
        let upper = SourceText(
            name: "Upper.swift",
            """
            struct Upper {
                func upperMember(_ text: String) -> String { text }
                private func otherMember() {}
            }
            """)
        let found = RoomCheck("M", [["Low"], ["Up"]], ["Low": [lower], "Up": [upper]]).upward()
        #expect(found == ["M/Low/Lower.swift → upperMember"])
        let reversed = RoomCheck("M", [["Up"], ["Low"]], ["Low": [lower], "Up": [upper]]).upward()
        #expect(reversed == [])
    }

    /// Each form in which a later room can be used, after what makes it hard to see.
    @Test(arguments: [
        ("struct Zebra {}", "let q = Zebra()"), ("func zebra() {}", "let q = zebra()"),
        ("let zebra = 1", "let q = zebra"), ("extension A {\n    static let zebra = 1\n}", "let q = A.zebra"),
        ("extension A {\n    struct Zebra {}\n}", "let q: A.Zebra? = nil"),
        ("extension A {\n    typealias Zebra = Int\n}", "let q: A.Zebra? = nil"),
        ("extension A {\n    func run() {}\n}", "let q = A().run()"),
        ("extension A {\n    @available(*, deprecated) func zebra() {}\n}", "let q = A().zebra()"),
        ("struct B {\n    let zebra = 1\n}", "let q = b.zebra"),
        ("enum B {\n    case lion, zebra\n}", "let q = B.zebra"),
        ("@propertyWrapper struct Zebra {}", "let q = Zebra()"),
        ("#if os(Linux)\n    struct Zebra {}\n#endif", "let q = Zebra()"),
        ("struct Zebra {}", "/* it is \"odd */\nlet q = Zebra()"),
    ]) func eachFormIsSeen(_ upper: String, _ lower: String) {
        let files = [
            "Low": [SourceText(name: "Lower.swift", lower)], "Up": [SourceText(name: "Upper.swift", upper)],
        ]
        #expect(RoomCheck("M", [["Low"], ["Up"]], files).upward().count == 1)
        #expect(RoomCheck("M", [["Up"], ["Low"]], files).upward().isEmpty)
    }

    /// The control: a name that another module has, too, is a use unless the file imports that module.
    @Test(arguments: [
        ("let q = b.zebra", 1), ("import Other\nlet q = b.zebra", 0), ("import Third\nlet q = b.zebra", 1),
        ("public import Other\nlet q = b.zebra()", 0), ("@testable import Third\nlet q = b.zebra()", 1),
    ]) func onlyImportedNamesHideUse(_ lower: String, _ count: Int) {
        let files = [
            "Low": [SourceText(name: "Lower.swift", lower)],
            "Up": [SourceText(name: "Upper.swift", "struct B {\n    func zebra() {}\n}")],
        ]
        let foreign = [
            "Other": [SourceText(name: "Other.swift", "let zebra = 1")],
            "Third": [SourceText(name: "Third.swift", "let lion = 1")],
        ]
        #expect(RoomCheck("M", [["Low"], ["Up"]], files, foreign).upward().count == count)
    }

    @Test func coverageLeavesOutSharedNames() {
        let files = [
            "Low": [SourceText(name: "Lower.swift", "struct A {\n    let lion = 1\n}")],
            "Up": [SourceText(name: "Upper.swift", "struct B {\n    let zebra = 1\n    let lion = 1\n}")],
        ]
        let (found, missed) = RoomCheck("M", [["Low"], ["Up"]], files).coverage(of: "Low")
        #expect(found == ["zebra"])
        #expect(missed == ["lion"])
    }

    @Test func everyModuleIsKnown() throws {
        let folder = Self.sources.path(percentEncoded: false)
        let modules = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(modules) == Set(House.rooms.map(\.module)).union(House.small))
    }

    private static func files(of module: String) throws -> [String: [SourceText]] {
        let folder = sources.appending(path: module)
        var files: [String: [SourceText]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        where path.hasSuffix(".swift") {
            // The files of the root come last.
            let room = path.contains("/") ? String(path.prefix { $0 != "/" }) : House.root
            let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let name = String(path.split(separator: "/").last ?? "")
            files[room, default: []].append(SourceText(name: name, source))
        }
        return files
    }
}
