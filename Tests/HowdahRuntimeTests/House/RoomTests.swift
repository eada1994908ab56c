import Foundation
import TestSupport
import Testing

/// Rooms name only rooms before them; this reads the sources and says which do not.
///
/// Types and members are compared that one room of a module declares, and no other module.
@Suite struct RoomTests {
    /// What remains to be turned round: the list can only get shorter.
    private static let known: Set<String> = [
        "HowdahRuntime/Context/ManagedObjectContext+Objects.swift → mayHave",
        "HowdahRuntime/Context/ManagedObjectContext+Objects.swift → obtainFromParent",
        "HowdahRuntime/Context/ManagedObjectContext+Objects.swift → tellChildren",
        "HowdahRuntime/Context/ManagedObjectContext+Refresh.swift → mergeChanges",
        "HowdahRuntime/Context/ManagedObjectContext+Refresh.swift → removeAllActions",
        "HowdahRuntime/Context/ManagedObjectContext+Run.swift → mergeInbox",
        "HowdahRuntime/Context/ManagedObjectContext+Run.swift → runAsChild",
        "HowdahRuntime/Context/ManagedObjectContext.swift → UndoStack",
        "HowdahRuntime/Context/ManagedObjectContext.swift → acceptInaccessibleFaults",
        "HowdahRuntime/Context/ManagedObjectContext.swift → adoptUndoStack",
        "HowdahRuntime/Context/ManagedObjectContext.swift → followParent",
        "HowdahRuntime/Context/ManagedObjectContext.swift → mergeAtOnce",
        "HowdahRuntime/Context/ManagedObjectContext.swift → removeAllActions",
        "HowdahRuntime/Fetch/FetchPipeline.swift → ChildFetch",
        "HowdahRuntime/Fetch/ManagedObjectContext+Faults.swift → parentHolds",
        "HowdahRuntime/Fetch/ManagedObjectContext+Loading.swift → countMembersInParent",
        "HowdahRuntime/Fetch/ManagedObjectContext+Loading.swift → loadFromParent",
        "HowdahRuntime/Fetch/ManagedObjectContext+Loading.swift → membersFromParent",
        "HowdahRuntime/Fetch/ManagedObjectContext+Loading.swift → partnersFromParent",
        "HowdahRuntime/Fetch/PageFetch.swift → standIns",
        "HowdahRuntime/Object/ManagedObject+KeyValue.swift → managedObjectContext",
        "HowdahRuntime/Row/RowReader.swift → AttributeValue",
        "HowdahRuntime/Row/RowReader.swift → _read",
        "HowdahRuntime/Save/ManagedObjectContext+Adoption.swift → mergeChanges",
        "HowdahRuntime/Save/ManagedObjectContext+Adoption.swift → tellChildren",
        "HowdahRuntime/Save/ManagedObjectContext+Save.swift → PushPipeline",
        "HowdahRuntime/Save/ManagedObjectContext+Save.swift → mergeAtOnce",
        "HowdahRuntime/Save/ManagedObjectContext+Save.swift → removeAllActions",
        "HowdahRuntime/Save/ManagedObjectContext+Save.swift → tellChildren",
        "HowdahRuntime/Save/SaveNotice+Receipt.swift → Push",
        "HowdahRuntime/Save/SaveNotice+Receipt.swift → mergeBelow",
        "HowdahRuntime/Save/UniquenessClashes.swift → ResolvedColumn",
        "HowdahRuntime/Store/Store+LostCommit.swift → ThreadChain",
        "HowdahRuntime/Store/Store.swift → StoreNotices",
    ]

    private static let sources = Repository.root.appending(path: "Sources")

    @Test func noRoomNamesALaterOne() throws {
        var uses: Set<String> = []
        let modules = try Dictionary(
            uniqueKeysWithValues: House.rooms.map { ($0.module, try Self.files(of: $0.module)) })
        for (module, rooms) in House.rooms {
            let files = modules[module] ?? [:]
            #expect(Set(files.keys) == Set(rooms.joined()), "the rooms of \(module)")
            let others = modules.filter { $0.key != module }.values.joined().flatMap(\.value)
            uses.formUnion(
                Self.upward(module, rooms, files, Set(others.flatMap { $0.types.union($0.inner) })))
        }
        let new = uses.subtracting(Self.known).sorted()
        #expect(new == [], "name lower rooms only, or move what you name")
        let gone = Self.known.subtracting(uses).sorted()
        #expect(gone == [], "take these off the list")
        #expect(Self.known.count <= 40)
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
        let found = Self.upward("M", [["Low"], ["Up"]], ["Low": [lower], "Up": [upper]], [])
        #expect(found == ["M/Low/Lower.swift → upperMember"])
        let reversed = Self.upward("M", [["Up"], ["Low"]], ["Low": [lower], "Up": [upper]], [])
        #expect(reversed == [])
    }

    private static func upward(
        _ module: String, _ rooms: [[String]], _ files: [String: [SourceText]], _ foreign: Set<String>
    ) -> Set<String> {
        var owners: [String: Set<String>] = [:]
        var visible: Set<String> = []
        for (room, files) in files {
            for file in files {
                for name in file.types.union(file.inner) { owners[name, default: []].insert(room) }
                visible.formUnion(file.types)
                visible.formUnion(file.members.filter { $0.count > 4 })
            }
        }
        visible.subtract(foreign)
        visible.subtract(House.homonyms)
        var uses: Set<String> = []
        for (place, group) in rooms.enumerated() {
            for room in group {
                let later = Set(rooms[(place + 1)...].joined()).union(group.filter { $0 != room })
                for file in files[room] ?? [] {
                    for word in file.words.intersection(visible) where owners[word]?.count == 1 {
                        guard let owner = owners[word]?.first, later.contains(owner) else { continue }
                        uses.insert("\(module)/\(room)/\(file.name) → \(word)")
                    }
                }
            }
        }
        return uses
    }

    private static func files(of module: String) throws -> [String: [SourceText]] {
        let folder = sources.appending(path: module)
        var files: [String: [SourceText]] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path(percentEncoded: false))
        where path.hasSuffix(".swift") && path.contains("/") {
            let room = String(path.prefix { $0 != "/" })
            let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
            let name = String(path.split(separator: "/").last ?? "")
            files[room, default: []].append(SourceText(name: name, source))
        }
        return files
    }
}
