/// The names that the rooms of a module declare and use.
struct RoomCheck {
    let module: String
    /// Groups of rooms, each after those that it may name.
    let rooms: [[String]]
    let files: [String: [SourceText]]
    private var owners: [String: Set<String>] = [:]
    private let foreignNames: [String: Set<String>]
    private let foreignLabels: [String: Set<String>]

    /// - Parameter foreign: The files of the other modules. A file of this one sees those that it imports.
    init(
        _ module: String, _ rooms: [[String]], _ files: [String: [SourceText]],
        _ foreign: [String: [SourceText]] = [:]
    ) {
        self.module = module
        self.rooms = rooms
        self.files = files
        foreignNames = foreign.mapValues { Set($0.flatMap(\.visible)).union($0.flatMap(\.callables)) }
        foreignLabels = foreign.mapValues { Set($0.flatMap(\.labels)) }
        for (room, files) in files {
            for name in files.flatMap(\.visible) { owners[name, default: []].insert(room) }
        }
    }

    /// The uses of later rooms, as `Module/Room/File.swift → name`.
    func upward() -> Set<String> {
        var uses: Set<String> = []
        for room in rooms.joined() {
            let view = view(from: room)
            for file in files[room] ?? [] {
                for word in file.words where word.count > 2 {
                    if isUse(word, isCall: file.calls.contains(word), view, file.imports) {
                        uses.insert("\(module)/\(room)/\(file.name) → \(word)")
                    }
                }
            }
        }
        return uses
    }

    /// The names of later rooms that a file of a room cannot use without being found, and those that it can.
    ///
    /// The file imports what all files of the room import together.
    func coverage(of room: String) -> (found: Set<String>, missed: Set<String>) {
        let view = view(from: room)
        let imports = (files[room] ?? []).reduce(into: Set<String>()) { $0.formUnion($1.imports) }
        let names = owners.filter { !$0.value.isDisjoint(with: view.later) && $0.key.count > 2 }.keys
        let found = names.filter { name in
            [true, false].contains { isUse(name, isCall: $0, view, imports) }
        }
        return (Set(found), Set(names).subtracting(found))
    }

    /// The rooms that a room must not name, and the names that stand for something nearer.
    private struct View {
        let later: Set<String>
        var labels: Set<String> = []
        var callables: Set<String> = []
    }

    private func view(from room: String) -> View {
        let place = rooms.firstIndex { $0.contains(room) } ?? 0
        var view = View(later: Set(rooms[(place + 1)...].joined()).union(rooms[place].filter { $0 != room }))
        for file in rooms[...place].joined().flatMap({ files[$0] ?? [] }) {
            view.labels.formUnion(file.labels)
            view.callables.formUnion(file.callables)
        }
        return view
    }

    private func isUse(_ word: String, isCall: Bool, _ view: View, _ imports: Set<String>) -> Bool {
        guard let rooms = owners[word], rooms.isSubset(of: view.later), !House.homonyms.contains(word),
            !imports.contains(where: { foreignNames[$0]?.contains(word) == true })
        else { return false }
        if isCall { return !view.callables.contains(word) }
        return !view.labels.contains(word)
            && !imports.contains(where: { foreignLabels[$0]?.contains(word) == true })
    }
}
