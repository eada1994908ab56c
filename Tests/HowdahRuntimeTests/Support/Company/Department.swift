import Foundation
import Howdah

final class Department: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Department",
            properties: [
                .attribute("name", .string, optional: false),
                .attribute("budget", .decimal, optional: false, default: .decimal(0)),
                .relationship(
                    "employees", to: "Employee", inverse: "department", toMany: true, deleteRule: .nullify),
                .relationship("rooms", to: "Room", inverse: "department", toMany: true, deleteRule: .cascade),
                .relationship("head", to: "Employee", inverse: "heads"),
            ],
            uniquenessConstraints: [["name"]])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Department.name, "name"),
            _PropertyKeyPath(\Department.budget, "budget"),
            _PropertyKeyPath(\Department.employees, "employees"),
            _PropertyKeyPath(\Department.rooms, "rooms"),
            _PropertyKeyPath(\Department.head, "head"),
        ]
    }

    @exclusivity(unchecked) private var _name = String._zero
    @exclusivity(unchecked) private var _budget = Decimal._zero
    @exclusivity(unchecked) private var _employees: _ToManyState?
    @exclusivity(unchecked) private var _rooms: _ToManyState?
    @exclusivity(unchecked) private var _head = _ToOneField()

    var name: String {
        get { _willRead(0); return _name }
        set { _willWrite(0); _name = newValue._stored; _didWrite(0) }
    }
    var budget: Decimal {
        get { _willRead(1); return _budget }
        set { _willWrite(1); _budget = newValue._stored; _didWrite(1) }
    }
    var employees: ToMany<Employee> { ToMany(self, 2) }
    var rooms: ToMany<Room> { ToMany(self, 3) }
    var head: Employee? {
        get { _destination(_head, 4) }
        set { _setDestination(newValue, 4) }
    }

    override func _decode(_ row: inout _RowReader) {
        _name = row.read()
        _budget = row.read()
        _head = row.toOne(4)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _name._value
        case 1: _budget._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _name = $0 } != nil
        case 1: Decimal._make(value).map { _budget = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField { slot == 4 ? _head : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 4 { _head = field } }
    override func _toManyState(at slot: Int) -> _ToManyState? {
        slot == 2 ? _employees : slot == 3 ? _rooms : nil
    }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) {
        if slot == 2 { _employees = state }
        if slot == 3 { _rooms = state }
    }
}
