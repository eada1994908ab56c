/// The words by which two names mean two things, however alike they are: minValue and maxValue, line1 and line2.
enum NameOpposition {
    /// Indicates whether words of one name are opposed to words of the other.
    static func isBetween(_ left: [String], _ right: [String]) -> Bool {
        let (one, other) = (numbers(in: left), numbers(in: right))
        if !one.isEmpty, !other.isEmpty, one != other { return true }
        let (a, b) = (Set(left).subtracting(right), Set(right).subtracting(left))
        return a.contains { word in b.contains { areOpposed(word, $0) } }
    }

    /// Pairs of opposites, and series of which a name has one.
    private static let series: [[String]] = [
        ["min", "max"], ["minimum", "maximum"], ["first", "last"], ["start", "end"], ["begin", "end"],
        ["started", "ended"], ["start", "finish"], ["started", "finished"], ["begin", "finish"],
        ["open", "close"], ["opened", "closed"], ["open", "closed"], ["before", "after"],
        ["previous", "next"], ["prev", "next"], ["from", "to"], ["in", "out"], ["up", "down"],
        ["left", "right", "top", "bottom", "center"], ["upper", "lower"], ["front", "back"],
        ["north", "south", "east", "west"], ["latitude", "longitude", "altitude"], ["lat", "lng"],
        ["lat", "lon"], ["lat", "long"], ["width", "height", "depth", "length"], ["row", "column"],
        ["father", "mother"], ["parent", "child"], ["parents", "children"], ["son", "daughter"],
        ["brother", "sister"], ["husband", "wife"], ["home", "work", "mobile"],
        ["home", "office", "mobile"],
        ["created", "updated", "deleted", "archived"], ["created", "modified", "deleted", "archived"],
        ["creation", "modification", "deletion"], ["creation", "update", "deletion"],
        ["sender", "recipient", "receiver"], ["sent", "received"], ["incoming", "outgoing"],
        ["source", "target", "destination"], ["read", "write"], ["visible", "hidden"],
        ["enabled", "disabled"], ["public", "private"], ["local", "remote"], ["old", "new"],
        ["billing", "shipping"], ["debit", "credit"], ["buy", "sell"], ["buyer", "seller"],
        ["host", "guest"], ["win", "loss"], ["wins", "losses"], ["male", "female"],
        ["second", "minute", "hour", "day", "week", "month", "year"],
        ["seconds", "minutes", "hours", "days", "weeks", "months", "years"],
        ["daily", "weekly", "monthly", "yearly"], ["red", "green", "blue", "alpha"],
    ]

    private static let places: [String: Set<Int>] = {
        var places: [String: Set<Int>] = [:]
        for (place, words) in series.enumerated() {
            for word in words { places[word, default: []].insert(place) }
        }
        return places
    }()

    /// Syllables that turn a word into another one.
    private static let prefixes = [
        "un", "in", "im", "dis", "non", "sub", "super", "anti", "de", "over", "under",
    ]

    private static func areOpposed(_ one: String, _ other: String) -> Bool {
        if !(places[one] ?? []).isDisjoint(with: places[other] ?? []) { return true }
        return prefixes.contains { $0 + one == other || $0 + other == one }
    }

    private static let spelled = [
        "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
        "ten": 10,
    ]

    private static func numbers(in words: [String]) -> [Int] { words.compactMap { Int($0) ?? spelled[$0] } }
}
