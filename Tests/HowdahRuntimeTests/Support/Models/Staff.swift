import Howdah

/// A hierarchy with classes: persons, workers who have a boss, bosses who are workers with a team.
enum Staff {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(Person.self, Worker.self, Boss.self)
    }
}

class Person: ManagedObject {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Person",
            properties: [
                .attribute("name", .string, optional: false),
                .relationship("friend", to: "Person", inverse: "admirers"),
                .relationship("admirers", to: "Person", inverse: "friend", toMany: true),
            ])
    }

    static func _keyPathsOfPerson<Root: Person>(rootedAt root: Root.Type) -> [_PropertyKeyPath] {
        [
            _PropertyKeyPath(\Root.name, "name"),
            _PropertyKeyPath(\Root.friend, "friend"),
            _PropertyKeyPath(\Root.admirers, "admirers"),
        ]
    }
    override class var _keyPaths: [_PropertyKeyPath] { _keyPathsOfPerson(rootedAt: Person.self) }

    @exclusivity(unchecked) private var _name = String._zero
    @exclusivity(unchecked) private var _friend = _ToOneField()
    @exclusivity(unchecked) private var _admirers: _ToManyState?

    final var name: String {
        get { _willRead(0); return _name }
        set { _willWrite(0); _name = newValue._stored; _didWrite(0) }
    }
    final var friend: Person? {
        get { _destination(_friend, 1) }
        set { _setDestination(newValue, 1) }
    }
    final var admirers: ToMany<Person> { ToMany(self, 2) }

    override func _decode(_ row: inout _RowReader) {
        _name = row.read()
        _friend = row.toOne(1)
    }
    override func _value(at slot: Int) -> Value { slot == 0 ? _name._value : .null }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 0 ? String._make(value).map { _name = $0 } != nil : false
    }
    override func _toOneField(at slot: Int) -> _ToOneField { slot == 1 ? _friend : _ToOneField() }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) { if slot == 1 { _friend = field } }
    override func _toManyState(at slot: Int) -> _ToManyState? { slot == 2 ? _admirers : nil }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) { if slot == 2 { _admirers = state } }
}

class Worker: Person {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Worker", superentity: "Person",
            properties: [
                .attribute("wage", .integer64, optional: false, default: 0),
                .relationship("boss", to: "Boss", inverse: "team"),
            ])
    }

    static func _keyPathsOfWorker<Root: Worker>(rootedAt root: Root.Type) -> [_PropertyKeyPath] {
        _keyPathsOfPerson(rootedAt: root) + [
            _PropertyKeyPath(\Root.wage, "wage"),
            _PropertyKeyPath(\Root.boss, "boss"),
        ]
    }
    override class var _keyPaths: [_PropertyKeyPath] { _keyPathsOfWorker(rootedAt: Worker.self) }

    @exclusivity(unchecked) private var _wage = Int._zero
    @exclusivity(unchecked) private var _boss = _ToOneField()

    final var wage: Int {
        get { _willRead(3); return _wage }
        set { _willWrite(3); _wage = newValue._stored; _didWrite(3) }
    }
    final var boss: Boss? {
        get { _destination(_boss, 4) }
        set { _setDestination(newValue, 4) }
    }

    override func _decode(_ row: inout _RowReader) {
        super._decode(&row)
        _wage = row.read()
        _boss = row.toOne(4)
    }
    override func _value(at slot: Int) -> Value { slot == 3 ? _wage._value : super._value(at: slot) }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 3 ? Int._make(value).map { _wage = $0 } != nil : super._assign(value, at: slot)
    }
    override func _toOneField(at slot: Int) -> _ToOneField { slot == 4 ? _boss : super._toOneField(at: slot) }
    override func _assignToOne(_ field: _ToOneField, at slot: Int) {
        if slot == 4 { _boss = field } else { super._assignToOne(field, at: slot) }
    }
}

final class Boss: Worker {
    override class var entity: EntityDescription? {
        EntityDescription(
            "Boss", superentity: "Worker",
            properties: [
                .attribute("title", .string),
                .relationship("team", to: "Worker", inverse: "boss", toMany: true),
            ])
    }

    static func _keyPathsOfBoss<Root: Boss>(rootedAt root: Root.Type) -> [_PropertyKeyPath] {
        _keyPathsOfWorker(rootedAt: root) + [
            _PropertyKeyPath(\Root.title, "title"),
            _PropertyKeyPath(\Root.team, "team"),
        ]
    }
    override class var _keyPaths: [_PropertyKeyPath] { _keyPathsOfBoss(rootedAt: Boss.self) }

    @exclusivity(unchecked) private var _title: String?
    @exclusivity(unchecked) private var _team: _ToManyState?

    var title: String? {
        get { _willRead(5); return _title }
        set { _willWrite(5); _title = newValue._stored; _didWrite(5) }
    }
    var team: ToMany<Worker> { ToMany(self, 6) }

    override func _decode(_ row: inout _RowReader) {
        super._decode(&row)
        _title = row.read()
    }
    override func _value(at slot: Int) -> Value { slot == 5 ? _title._value : super._value(at: slot) }
    override func _assign(_ value: Value, at slot: Int) -> Bool {
        slot == 5 ? String?._make(value).map { _title = $0 } != nil : super._assign(value, at: slot)
    }
    override func _toManyState(at slot: Int) -> _ToManyState? {
        slot == 6 ? _team : super._toManyState(at: slot)
    }
    override func _assignToMany(_ state: _ToManyState?, at slot: Int) {
        if slot == 6 { _team = state } else { super._assignToMany(state, at: slot) }
    }
}
