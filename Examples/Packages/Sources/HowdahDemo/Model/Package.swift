import Howdah

/// A Debian package, or a mere name that others refer to and that no list describes: then `version` is nil.
///
/// Written by hand in the shape that a macro or a code generator emits: a typed field per property, accessors that
/// check for faults and remember changes, and the overrides that move values between fields and rows.
final class Package: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Package",
            properties: [
                .attribute("name", .string, optional: false),
                .attribute("version", .string),
                .attribute("architecture", .string),
                .attribute("summary", .string),
                .attribute("isInstalled", .boolean, optional: false, default: .bool(false)),
                .attribute("sizes", .composite(Sizes.compositeDescription)),
                .relationship("section", to: "Section", inverse: "packages"),
                .relationship("maintainer", to: "Maintainer", inverse: "packages"),
                .relationship(
                    "dependencies", to: "Dependency", inverse: "package", toMany: true, deleteRule: .cascade),
                .relationship(
                    "dependents", to: "Dependency", inverse: "target", toMany: true, deleteRule: .deny),
                .relationship("provides", to: "Package", inverse: "providers", toMany: true),
                .relationship("providers", to: "Package", inverse: "provides", toMany: true),
            ],
            uniquenessConstraints: [["name"]])
    }

    @exclusivity(unchecked) private var _name = String._zero
    @exclusivity(unchecked) private var _version: String?
    @exclusivity(unchecked) private var _architecture: String?
    @exclusivity(unchecked) private var _summary: String?
    @exclusivity(unchecked) private var _isInstalled = Bool._zero
    @exclusivity(unchecked) private var _sizes: Sizes?
    @exclusivity(unchecked) private var _section = _ToOneField()
    @exclusivity(unchecked) private var _maintainer = _ToOneField()
    @exclusivity(unchecked) private var _dependencies: _ToManyState?
    @exclusivity(unchecked) private var _dependents: _ToManyState?
    @exclusivity(unchecked) private var _provides: _ToManyState?
    @exclusivity(unchecked) private var _providers: _ToManyState?

    var name: String {
        get { _willRead(0); return _name }
        set { _willWrite(0); _name = newValue._stored; _didWrite(0) }
    }
    var version: String? {
        get { _willRead(1); return _version }
        set { _willWrite(1); _version = newValue._stored; _didWrite(1) }
    }
    var architecture: String? {
        get { _willRead(2); return _architecture }
        set { _willWrite(2); _architecture = newValue._stored; _didWrite(2) }
    }
    var summary: String? {
        get { _willRead(3); return _summary }
        set { _willWrite(3); _summary = newValue._stored; _didWrite(3) }
    }
    var isInstalled: Bool {
        get { _willRead(4); return _isInstalled }
        set { _willWrite(4); _isInstalled = newValue._stored; _didWrite(4) }
    }
    var sizes: Sizes? {
        get { _willRead(5); return _sizes }
        set { _willWrite(5); _sizes = newValue._stored; _didWrite(5) }
    }
    var section: Section? {
        get { _destination(_section, 6) }
        set { _setDestination(newValue, 6) }
    }
    var maintainer: Maintainer? {
        get { _destination(_maintainer, 7) }
        set { _setDestination(newValue, 7) }
    }
    /// What this package wants; deleted with it.
    var dependencies: ToMany<Dependency> { ToMany(self, 8) }
    /// What wants this package; it cannot be deleted while there are any.
    var dependents: ToMany<Dependency> { ToMany(self, 9) }
    /// The names this package stands in for, such as "mail-transport-agent".
    var provides: ToMany<Package> { ToMany(self, 10) }
    /// The packages that stand in for this name.
    var providers: ToMany<Package> { ToMany(self, 11) }

    override func _decode(_ row: inout _RowReader) {
        _name = row.read()
        _version = row.read()
        _architecture = row.read()
        _summary = row.read()
        _isInstalled = row.read()
        _sizes = row.read()
        _section = row.toOne(6)
        _maintainer = row.toOne(7)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _name._value
        case 1: _version._value
        case 2: _architecture._value
        case 3: _summary._value
        case 4: _isInstalled._value
        case 5: _sizes._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _name = $0 } != nil
        case 1: String?._make(value).map { _version = $0 } != nil
        case 2: String?._make(value).map { _architecture = $0 } != nil
        case 3: String?._make(value).map { _summary = $0 } != nil
        case 4: Bool._make(value).map { _isInstalled = $0 } != nil
        case 5: Sizes?._make(value).map { _sizes = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField {
        slot == 6 ? _section : slot == 7 ? _maintainer : _ToOneField()
    }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) {
        if slot == 6 { _section = field }
        if slot == 7 { _maintainer = field }
    }

    override func _toManyState(at slot: Int) -> _ToManyState? {
        switch slot {
        case 8: _dependencies
        case 9: _dependents
        case 10: _provides
        case 11: _providers
        default: nil
        }
    }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) {
        switch slot {
        case 8: _dependencies = state
        case 9: _dependents = state
        case 10: _provides = state
        case 11: _providers = state
        default: break
        }
    }
}
