import Howdah

/// A class whose setter is hidden: outside of it, the property's key path may be another one.
final class Sealed: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription("Sealed", properties: [.attribute("code", .string, optional: false)])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [_PropertyKeyPath(\Sealed.code, "code"), codeSeenFromOutside()]
    }

    @exclusivity(unchecked) private var _code = String._zero

    private(set) var code: String {
        get { _willRead(0); return _code }
        set { _willWrite(0); _code = newValue._stored; _didWrite(0) }
    }

    func seal(_ code: String) { self.code = code }

    override func _decode(_ row: inout _RowReader) { _code = row.read() }
    override func _value(at slot: Int) -> Value { slot == 0 ? _code._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _code = $0 } != nil : false
    }
}

private func codeSeenFromOutside() -> _PropertyKeyPath { _PropertyKeyPath(\Sealed.code, "code") }
