import Foundation
import Howdah

/// An entity with rules of its own beside the model's.
final class Meeting: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Meeting",
            properties: [
                .attribute("title", .string, optional: false, minimumLength: 3),
                .attribute("begin", .integer64, optional: false, default: .int(0)),
                .attribute("end", .integer64, optional: false, default: .int(1), maximum: .int(100)),
                .attribute("isPublished", .boolean, optional: false, default: .bool(false)),
            ])
    }

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Meeting.self) }

    @exclusivity(unchecked) private var _title = String._zero
    @exclusivity(unchecked) private var _begin = Int._zero
    @exclusivity(unchecked) private var _end = Int._zero
    @exclusivity(unchecked) private var _isPublished = Bool._zero

    var title: String {
        get { _willRead(0); return _title }
        set { _willWrite(0); _title = newValue._stored; _didWrite(0) }
    }
    var begin: Int {
        get { _willRead(1); return _begin }
        set { _willWrite(1); _begin = newValue._stored; _didWrite(1) }
    }
    var end: Int {
        get { _willRead(2); return _end }
        set { _willWrite(2); _end = newValue._stored; _didWrite(2) }
    }
    var isPublished: Bool {
        get { _willRead(3); return _isPublished }
        set { _willWrite(3); _isPublished = newValue._stored; _didWrite(3) }
    }

    struct NotNow: Error {}

    override class var validatedKeys: [String] { ["title"] }

    override func validateValue(_ value: Any?, forKey key: String) throws {
        try super.validateValue(value, forKey: key)
        if key == "title", value as? String == "lunch" {
            throw ValidationIssue(self, [key], "is no meeting; call it otherwise")
        }
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try checkOrder()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try checkOrder()
    }

    override func validateForDelete() throws {
        if isPublished { throw NotNow() }
    }

    private func checkOrder() throws {
        guard end <= begin else { return }
        throw SaveError.validation([
            ValidationIssue(self, ["begin", "end"], code: 1620, "are in the wrong order")
        ])
    }

    override func _decode(_ row: inout _RowReader) {
        _title = row.read()
        _begin = row.read()
        _end = row.read()
        _isPublished = row.read()
    }
    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _title._value
        case 1: _begin._value
        case 2: _end._value
        case 3: _isPublished._value
        default: .null
        }
    }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _title = $0 } != nil
        case 1: Int._make(value).map { _begin = $0 } != nil
        case 2: Int._make(value).map { _end = $0 } != nil
        case 3: Bool._make(value).map { _isPublished = $0 } != nil
        default: false
        }
    }
}
