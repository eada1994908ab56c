import Howdah

/// One edge of the graph: a package wants another one.
final class Dependency: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Dependency",
            properties: [
                .attribute("kind", .string, optional: false),
                .attribute("position", .integer32, optional: false),
                .attribute("group", .integer32, optional: false),
                .attribute("hasAlternatives", .boolean, optional: false, default: .bool(false)),
                .attribute("constraint", .composite(VersionConstraint.compositeDescription)),
                .relationship("package", to: "Package", inverse: "dependencies", optional: false),
                .relationship("target", to: "Package", inverse: "dependents", optional: false),
            ])
    }

    @exclusivity(unchecked) private var _kind = String._zero
    @exclusivity(unchecked) private var _position = Int32._zero
    @exclusivity(unchecked) private var _group = Int32._zero
    @exclusivity(unchecked) private var _hasAlternatives = Bool._zero
    @exclusivity(unchecked) private var _constraint: VersionConstraint?
    @exclusivity(unchecked) private var _package = _ToOneField()
    @exclusivity(unchecked) private var _target = _ToOneField()

    /// "Depends", "Pre-Depends", "Recommends", "Suggests" or "Enhances".
    var kind: String {
        get { _willRead(0); return _kind }
        set { _willWrite(0); _kind = newValue._stored; _didWrite(0) }
    }
    /// The place among all dependencies of the package.
    var position: Int32 {
        get { _willRead(1); return _position }
        set { _willWrite(1); _position = newValue._stored; _didWrite(1) }
    }
    /// Alternatives ("exim4 | postfix") share one number; any one of them will do.
    var group: Int32 {
        get { _willRead(2); return _group }
        set { _willWrite(2); _group = newValue._stored; _didWrite(2) }
    }
    /// Whether another dependency of the same group would do as well.
    var hasAlternatives: Bool {
        get { _willRead(3); return _hasAlternatives }
        set { _willWrite(3); _hasAlternatives = newValue._stored; _didWrite(3) }
    }
    var constraint: VersionConstraint? {
        get { _willRead(4); return _constraint }
        set { _willWrite(4); _constraint = newValue._stored; _didWrite(4) }
    }
    /// The package that wants something.
    var package: Package? {
        get { _destination(_package, 5) }
        set { _setDestination(newValue, 5) }
    }
    /// The package that is wanted.
    var target: Package? {
        get { _destination(_target, 6) }
        set { _setDestination(newValue, 6) }
    }

    override func _decode(_ row: inout _RowReader) {
        _kind = row.read()
        _position = row.read()
        _group = row.read()
        _hasAlternatives = row.read()
        _constraint = row.read()
        _package = row.toOne(5)
        _target = row.toOne(6)
    }

    override func _value(at slot: Int) -> Value {
        switch slot {
        case 0: _kind._value
        case 1: _position._value
        case 2: _group._value
        case 3: _hasAlternatives._value
        case 4: _constraint._value
        default: .null
        }
    }

    override func _assign(_ value: Value, at slot: Int) -> Bool {
        switch slot {
        case 0: String._make(value).map { _kind = $0 } != nil
        case 1: Int32._make(value).map { _position = $0 } != nil
        case 2: Int32._make(value).map { _group = $0 } != nil
        case 3: Bool._make(value).map { _hasAlternatives = $0 } != nil
        case 4: VersionConstraint?._make(value).map { _constraint = $0 } != nil
        default: false
        }
    }

    override func _toOneField(at slot: Int) -> _ToOneField {
        slot == 5 ? _package : slot == 6 ? _target : _ToOneField()
    }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) {
        if slot == 5 { _package = field }
        if slot == 6 { _target = field }
    }
}
