import Howdah

/// The part of the archive a package belongs to: "libs", "games", "python".
final class Section: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Section",
            properties: [
                .attribute("name", .string, optional: false),
                .relationship("packages", to: "Package", inverse: "section", toMany: true),
            ],
            uniquenessConstraints: [["name"]])
    }

    @exclusivity(unchecked) private var _name = String._zero
    @exclusivity(unchecked) private var _packages: _ToManyState?

    var name: String {
        get { _willRead(0); return _name }
        set { _willWrite(0); _name = newValue._stored; _didWrite(0) }
    }
    var packages: ToMany<Package> { ToMany(self, 1) }

    override func _decode(_ row: inout _RowReader) { _name = row.read() }
    override func _value(at slot: Int) -> Value { slot == 0 ? _name._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _name = $0 } != nil : false
    }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 1 ? _packages : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 1 { _packages = state } }
}
