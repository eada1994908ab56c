extension PropertyShape {
    /// The getter and setter of a property in `slot` with its storage in `field`.
    ///
    /// - Parameter keeping: the case for unknown values, and the field of what is stored.
    func accessors(
        field: String, slot: String, keeping: (unknown: String, stored: String)? = nil
    ) -> [String] {
        let kept =
            keeping.map {
                "\n    \($0.stored) = Howdah._Emitted.stored(newValue, unknown: \($0.unknown), original: _original(at: \(slot)))"
            } ?? ""
        return switch self {
        case .attribute:
            [
                "get {\n    _willRead(\(slot))\n    return \(field)\n}",
                "set {\n    _willWrite(\(slot))\n    \(field) = Howdah._Emitted.stored(newValue)\(kept)\n    _didWrite(\(slot))\n}",
            ]
        case .toOne:
            [
                "get { _destination(\(field), \(slot)) }",
                "set { _setDestination(newValue, \(slot)) }",
            ]
        case .toMany(_, let isOrdered, _):
            ["get { Howdah.\(isOrdered ? "OrderedToMany" : "ToMany")(self, \(slot)) }"]
        }
    }
}
