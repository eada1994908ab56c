import Foundation
import Howdah

/// Twelve columns with `_id` and `_version`, in the shape that the macros emit; this package builds without them.
final class Employee: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Employee",
            properties: [
                .attribute("firstName", .string, optional: false),
                .attribute("lastName", .string, optional: false),
                .attribute("email", .string, optional: false),
                .attribute("salary", .double, optional: false),
                .attribute("rating", .double, optional: false),
                .attribute("hiredAt", .date, optional: false),
                .attribute("visits", .integer64, optional: false),
                .attribute("level", .integer32, optional: false),
                .attribute("active", .boolean, optional: false),
                .relationship("department", to: "Department", inverse: "employees"),
            ])
    }

    @exclusivity(unchecked) private var _firstName = String._zero
    @exclusivity(unchecked) private var _lastName = String._zero
    @exclusivity(unchecked) private var _email = String._zero
    @exclusivity(unchecked) private var _salary = Double._zero
    @exclusivity(unchecked) private var _rating = Double._zero
    @exclusivity(unchecked) private var _hiredAt = Date._zero
    @exclusivity(unchecked) private var _visits = Int._zero
    @exclusivity(unchecked) private var _level = Int32._zero
    @exclusivity(unchecked) private var _active = Bool._zero
    @exclusivity(unchecked) private var _department = _ToOneField()

    var firstName: String {
        get { _willRead(0); return _firstName }
        set { _willWrite(0); _firstName = newValue._stored; _didWrite(0) }
    }
    var lastName: String {
        get { _willRead(1); return _lastName }
        set { _willWrite(1); _lastName = newValue._stored; _didWrite(1) }
    }
    var email: String {
        get { _willRead(2); return _email }
        set { _willWrite(2); _email = newValue._stored; _didWrite(2) }
    }
    var salary: Double {
        get { _willRead(3); return _salary }
        set { _willWrite(3); _salary = newValue._stored; _didWrite(3) }
    }
    var rating: Double {
        get { _willRead(4); return _rating }
        set { _willWrite(4); _rating = newValue._stored; _didWrite(4) }
    }
    var hiredAt: Date {
        get { _willRead(5); return _hiredAt }
        set { _willWrite(5); _hiredAt = newValue._stored; _didWrite(5) }
    }
    var visits: Int {
        get { _willRead(6); return _visits }
        set { _willWrite(6); _visits = newValue._stored; _didWrite(6) }
    }
    var level: Int32 {
        get { _willRead(7); return _level }
        set { _willWrite(7); _level = newValue._stored; _didWrite(7) }
    }
    var active: Bool {
        get { _willRead(8); return _active }
        set { _willWrite(8); _active = newValue._stored; _didWrite(8) }
    }
    var department: Department? {
        get { _destination(_department, 9) }
        set { _setDestination(newValue, 9) }
    }

    override func _decode(_ row: inout _RowReader) {
        _firstName = row.read()
        _lastName = row.read()
        _email = row.read()
        _salary = row.read()
        _rating = row.read()
        _hiredAt = row.read()
        _visits = row.read()
        _level = row.read()
        _active = row.read()
        _department = row.toOne(9)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _firstName._value
        case 1: _lastName._value
        case 2: _email._value
        case 3: _salary._value
        case 4: _rating._value
        case 5: _hiredAt._value
        case 6: _visits._value
        case 7: _level._value
        case 8: _active._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _firstName = $0 } != nil
        case 1: String._make(value).map { _lastName = $0 } != nil
        case 2: String._make(value).map { _email = $0 } != nil
        case 3: Double._make(value).map { _salary = $0 } != nil
        case 4: Double._make(value).map { _rating = $0 } != nil
        case 5: Date._make(value).map { _hiredAt = $0 } != nil
        case 6: Int._make(value).map { _visits = $0 } != nil
        case 7: Int32._make(value).map { _level = $0 } != nil
        case 8: Bool._make(value).map { _active = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField { slot == 9 ? _department : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 9 { _department = field } }
}
