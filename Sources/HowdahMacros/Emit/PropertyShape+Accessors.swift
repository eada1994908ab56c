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
        switch self {
        case .attribute:
            return [
                "get {\n    _willRead(\(slot))\n    return \(field)\n}",
                "set {\n    _willWrite(\(slot))\n    \(field) = Howdah._Emitted.stored(newValue)\(kept)\n    _didWrite(\(slot))\n}",
            ]
        case .toOne:
            return [
                "get { _destination(\(field), \(slot)) }",
                "set { _setDestination(newValue, \(slot)) }",
            ]
        case .toMany(let destination, let isOrdered, _):
            let view = isOrdered ? "OrderedToMany" : "ToMany"
            // The compiler's own message names no remedy. The setter has the view's type, so it replaces the members, if ever.
            let refusal =
                "assign members with replace(with:), or change them with \(isOrdered ? "append(_:)" : "insert(_:)") and remove(_:)"
            return [
                "get { Howdah.\(view)(self, \(slot)) }",
                "@available(*, unavailable, message: \"\(refusal)\")\nset { Howdah.\(view)<\(destination)>(self, \(slot)).replace(with: newValue) }",
            ]
        }
    }
}
