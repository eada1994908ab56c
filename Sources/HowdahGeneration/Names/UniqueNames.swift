/// Gives out names, each once; one that is taken gets an underscore at its end.
struct UniqueNames {
    private let isCaseSensitive: Bool
    private var taken: Set<String>

    init(isCaseSensitive: Bool = true, taken: Set<String> = []) {
        self.isCaseSensitive = isCaseSensitive
        self.taken = isCaseSensitive ? taken : Set(taken.map { $0.lowercased() })
    }

    mutating func take(_ wanted: String) -> String {
        var name = wanted
        while !taken.insert(isCaseSensitive ? name : name.lowercased()).inserted { name += "_" }
        return name
    }
}
