import Howdah

/// More properties than the change mask has bits.
final class Wide: ManagedObject {
    static let width = 80

    override class var entity: EntityDescription? {
        EntityDescription(
            "Wide", properties: (0..<width).map { .attribute("p\($0)", .integer64, optional: false) })
    }

    private var fields = Array(repeating: 0, count: width)

    subscript(slot: Int) -> Int {
        get { _willRead(slot); return fields[slot] }
        set { _willWrite(slot); fields[slot] = newValue; _didWrite(slot) }
    }

    override func _decode(_ row: inout _RowReader) {
        for slot in fields.indices { fields[slot] = row.read() }
    }
    override func _value(at slot: Int) -> Value { fields[slot]._value }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        Int._make(value).map { fields[slot] = $0 } != nil
    }
}
