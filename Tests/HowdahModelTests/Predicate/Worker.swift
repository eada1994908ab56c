import HowdahModel

/// What the predicates of the lowering tests are about; a plain value, because no store is involved.
struct Worker: Hashable, Sendable {
    var age: Int { 0 }
    var name: String { "" }
    var nick: String? { nil }
    var flag: Bool? { nil }
    var isActive: Bool { false }
    var level: Level { .low }
    var home: Home { Home(name: "", width: 0) }
    var place: Home? { nil }
    var boss: Worker? { nil }
    var team: [Worker] { [] }
    var shout: String { name.uppercased() }

    static func naming(_ keyPath: AnyKeyPath) -> PropertyStep? {
        let names: [AnyKeyPath: String] = [
            \Worker.age: "age", \Worker.name: "name", \Worker.nick: "nick", \Worker.flag: "flag",
            \Worker.isActive: "isActive", \Worker.level: "level", \Worker.home: "home",
            \Worker.place: "place", \Worker.boss: "boss", \Worker.team: "team",
            \Home.name: "name", \Home.width: "width",
        ]
        return names[keyPath].map { .property($0) }
    }
}

struct Home: Hashable, Sendable, Codable {
    var name: String
    var width: Double
}

enum Level: Int, Codable, Sendable {
    case low = 1
    case high = 2
}
