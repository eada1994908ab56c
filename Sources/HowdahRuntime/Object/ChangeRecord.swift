import HowdahModel

/// What an updated object's slots held before their first change since the last save.
final class ChangeRecord {
    enum Original {
        case value(Value)
        case toOne(ToOneField)
    }

    private(set) var originals: [(slot: Int, original: Original)] = []

    /// The context that detached the object and is still open.
    private(set) weak var formerOwner: (any ObjectOwner)?

    /// The object that a forwarding object passes everything on to.
    let successor: ManagedObject?

    init(formerOwner: (any ObjectOwner)? = nil, successor: ManagedObject? = nil) {
        self.formerOwner = formerOwner
        self.successor = successor
    }

    /// The written slots that do not fit into the object's own mask.
    var highSlots: Set<Int> = []

    /// What the row held when it was read, of an object that is to be stored again because its row went; else nil.
    var former: ChangeRecord?

    /// Puts the changes of an earlier time below these, so that the oldest originals win.
    func follow(_ earlier: ChangeRecord) {
        let known = Set(earlier.originals.map(\.slot))
        originals = earlier.originals + originals.filter { !known.contains($0.slot) }
        highSlots.formUnion(earlier.highSlots)
    }

    /// Keeps which slots were written, as for an object that has no stored values.
    func forgetOriginals() { originals = [] }

    func keep(_ original: Original, of slot: Int) { originals.append((slot, original)) }
}
