import HowdahModel

/// The values of an updated object's slots before their first change since the last save.
final class ChangeRecord {
    enum Original {
        case value(Value)
        case toOne(_ToOneField)
    }

    private(set) var originals: [(slot: Int, original: Original)] = []

    /// The context that detached the object and is still open.
    private(set) weak var formerOwner: (any ObjectOwner)?

    /// The object that a forwarding object forwards to.
    let successor: ManagedObject?

    init(formerOwner: (any ObjectOwner)? = nil, successor: ManagedObject? = nil) {
        self.formerOwner = formerOwner
        self.successor = successor
    }

    /// The written slots that do not fit into the object's own mask.
    var highSlots: Set<Int> = []

    /// The values that were read, for an object that is stored again because its row was deleted; otherwise
    /// nil.
    var former: ChangeRecord?

    /// Adds earlier changes below these, so that the oldest originals win.
    func follow(_ earlier: ChangeRecord) {
        let known = Set(earlier.originals.map(\.slot))
        originals = earlier.originals + originals.filter { !known.contains($0.slot) }
        highSlots.formUnion(earlier.highSlots)
    }

    /// Drops the originals and keeps the written slots, for an object without stored values.
    func forgetOriginals() { originals = [] }

    func keep(_ original: Original, of slot: Int) { originals.append((slot, original)) }
}
