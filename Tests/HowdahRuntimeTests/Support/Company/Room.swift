import Howdah

final class Room: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Room",
            properties: [
                .attribute("number", .integer32, optional: false),
                .relationship(
                    "department", to: "Department", inverse: "rooms", optional: false),
            ],
            uniquenessConstraints: [["number"]])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Room.number, "number"),
            _PropertyKeyPath(\Room.department, "department"),
        ]
    }

    @exclusivity(unchecked) private var _number = Int32._zero
    @exclusivity(unchecked) private var _department = _ToOneField()

    var number: Int32 {
        get { _willRead(0); return _number }
        set { _willWrite(0); _number = newValue._stored; _didWrite(0) }
    }
    var department: Department? {
        get { _destination(_department, 1) }
        set { _setDestination(newValue, 1) }
    }

    override func _decode(_ row: inout _RowReader) {
        _number = row.read()
        _department = row.toOne(1)
    }
    override func _value(at slot: Int) -> Value { slot == 0 ? _number._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? Int32._make(value).map { _number = $0 } != nil : false
    }
    override func _toOneField(at slot: Int) -> _ToOneField { slot == 1 ? _department : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 1 { _department = field } }
}
