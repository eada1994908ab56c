import Foundation
import Howdah

final class Employee: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Employee",
            properties: [
                .attribute("firstName", .string, optional: false),
                .attribute("lastName", .string),
                .attribute("salary", .decimal, optional: false, default: .decimal(0)),
                .attribute("hiredAt", .date),
                .attribute("visits", .integer64, optional: false, default: .int(0)),
                .attribute("location", .composite(Location.compositeDescription)),
                .relationship("department", to: "Department", inverse: "employees"),
                .relationship("projects", to: "Project", inverse: "members", toMany: true),
                .relationship("heads", to: "Department", inverse: "head"),
            ])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Employee.firstName, "firstName"),
            _PropertyKeyPath(\Employee.lastName, "lastName"),
            _PropertyKeyPath(\Employee.salary, "salary"),
            _PropertyKeyPath(\Employee.hiredAt, "hiredAt"),
            _PropertyKeyPath(\Employee.visits, "visits"),
            _PropertyKeyPath(\Employee.location, "location"),
            _PropertyKeyPath(\Employee.department, "department"),
            _PropertyKeyPath(\Employee.projects, "projects"),
            _PropertyKeyPath(\Employee.heads, "heads"),
        ]
    }

    @exclusivity(unchecked) private var _firstName = String._zero
    @exclusivity(unchecked) private var _lastName: String?
    @exclusivity(unchecked) private var _salary = Decimal._zero
    @exclusivity(unchecked) private var _hiredAt: Date?
    @exclusivity(unchecked) private var _visits = Int._zero
    @exclusivity(unchecked) private var _location: Location?
    @exclusivity(unchecked) private var _department = _ToOneField()
    @exclusivity(unchecked) private var _projects: _ToManyState?
    @exclusivity(unchecked) private var _heads = _ToOneField()

    var firstName: String {
        get { _willRead(0); return _firstName }
        set { _willWrite(0); _firstName = newValue._stored; _didWrite(0) }
    }
    var lastName: String? {
        get { _willRead(1); return _lastName }
        set { _willWrite(1); _lastName = newValue._stored; _didWrite(1) }
    }
    var salary: Decimal {
        get { _willRead(2); return _salary }
        set { _willWrite(2); _salary = newValue._stored; _didWrite(2) }
    }
    var hiredAt: Date? {
        get { _willRead(3); return _hiredAt }
        set { _willWrite(3); _hiredAt = newValue._stored; _didWrite(3) }
    }
    var visits: Int {
        get { _willRead(4); return _visits }
        set { _willWrite(4); _visits = newValue._stored; _didWrite(4) }
    }
    var location: Location? {
        get { _willRead(5); return _location }
        set { _willWrite(5); _location = newValue._stored; _didWrite(5) }
    }
    var department: Department? {
        get { _destination(_department, 6) }
        set { _setDestination(newValue, 6) }
    }
    var projects: ToMany<Project> { ToMany(self, 7) }
    var heads: Department? {
        get { _destination(_heads, 8) }
        set { _setDestination(newValue, 8) }
    }

    override func _decode(_ row: inout _RowReader) {
        _firstName = row.read()
        _lastName = row.read()
        _salary = row.read()
        _hiredAt = row.read()
        _visits = row.read()
        _location = row.read()
        _department = row.toOne(6)
        _heads = row.toOne(8)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _firstName._value
        case 1: _lastName._value
        case 2: _salary._value
        case 3: _hiredAt._value
        case 4: _visits._value
        case 5: _location._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _firstName = $0 } != nil
        case 1: String?._make(value).map { _lastName = $0 } != nil
        case 2: Decimal._make(value).map { _salary = $0 } != nil
        case 3: Date?._make(value).map { _hiredAt = $0 } != nil
        case 4: Int._make(value).map { _visits = $0 } != nil
        case 5: Location?._make(value).map { _location = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField {
        slot == 6 ? _department : slot == 8 ? _heads : _ToOneField()
    }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) {
        if slot == 6 { _department = field }
        if slot == 8 { _heads = field }
    }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 7 ? _projects : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 7 { _projects = state } }
}
