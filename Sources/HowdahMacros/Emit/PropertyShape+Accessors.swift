extension PropertyShape {
    /// The getter and setter of a property in `slot` with its storage in `field`.
    func accessors(field: String, slot: String) -> [String] {
        switch self {
        case .attribute:
            [
                "get {\n    _willRead(\(slot))\n    return \(field)\n}",
                "set {\n    _willWrite(\(slot))\n    \(field) = Howdah._Emitted.stored(newValue)\n    _didWrite(\(slot))\n}",
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
