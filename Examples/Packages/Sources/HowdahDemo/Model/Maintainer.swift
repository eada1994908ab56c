import Howdah

/// Who looks after packages, as the control files name them: "Jane Doe <jane@debian.org>".
final class Maintainer: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Maintainer",
            properties: [
                .attribute("contact", .string, optional: false),
                .relationship("packages", to: "Package", inverse: "maintainer", toMany: true),
            ],
            uniquenessConstraints: [["contact"]])
    }

    @exclusivity(unchecked) private var _contact = String._zero
    @exclusivity(unchecked) private var _packages: _ToManyState?

    var contact: String {
        get { _willRead(0); return _contact }
        set { _willWrite(0); _contact = newValue._stored; _didWrite(0) }
    }
    var packages: ToMany<Package> { ToMany(self, 1) }

    /// The contact without the address; an ordinary computed property, which the store knows nothing of.
    var name: String { contact.split(separator: " <", maxSplits: 1).first.map(String.init) ?? contact }

    override func _decode(_ row: inout _RowReader) { _contact = row.read() }
    override func _value(at slot: Int) -> Value { slot == 0 ? _contact._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _contact = $0 } != nil : false
    }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 1 ? _packages : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 1 { _packages = state } }
}
