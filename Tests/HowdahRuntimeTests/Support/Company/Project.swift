import Howdah

final class Project: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Project",
            properties: [
                .attribute("title", .string, optional: false),
                .relationship("members", to: "Employee", inverse: "projects", toMany: true),
            ])
    }

    override class var _keyPaths: [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Project.title, "title"),
            _PropertyKeyPath(\Project.members, "members"),
        ]
    }

    @exclusivity(unchecked) private var _title = String._zero
    @exclusivity(unchecked) private var _members: _ToManyState?

    var title: String {
        get { _willRead(0); return _title }
        set { _willWrite(0); _title = newValue._stored; _didWrite(0) }
    }
    var members: ToMany<Employee> { ToMany(self, 1) }

    override func _decode(_ row: inout _RowReader) { _title = row.read() }
    override func _value(at slot: Int) -> Value { slot == 0 ? _title._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _title = $0 } != nil : false
    }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 1 ? _members : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 1 { _members = state } }
}
