import HowdahModel

/// What an updated object's slots held before their first change since the last save.
final class ChangeRecord {
    enum Original {
        case value(Value)
        case toOne(ToOneField)
    }

    private(set) var originals: [(slot: Int, original: Original)] = []

    /// The written slots that do not fit into the object's own mask.
    var highSlots: Set<Int> = []

    func keep(_ original: Original, of slot: Int) { originals.append((slot, original)) }
}
