extension ToManyState {
    /// Takes this order as the one that was read.
    func number(_ members: [ManagedObject]) {
        numbers = Dictionary(
            members.enumerated().map { ($1.key, Int64($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The keys of the members in the order that was read.
    var numberedKeys: [Int64] {
        numbers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }
}
