/// The objects of a keyed archive: dictionaries that name their class and refer to each other by number.
struct KeyedArchive {
    /// An object with a class; the fields by the number of their property list object.
    struct Object {
        let className: String
        let fields: [String: Int]
    }

    /// What a reference leads to.
    enum Item {
        case null
        /// A number, text, date, or bytes.
        case value(BinaryPropertyList.Node)
        case object(Object)
    }

    private var list: BinaryPropertyList
    /// The property list objects that the archive's own numbers stand for.
    private let objects: [Int]
    /// The property list object that leads to the outermost object.
    let root: Int

    /// Names of fields and classes are short; a long one would be read for each object again.
    private static let nameLimit = 256
    private static let null = "$null"

    init(_ bytes: [UInt8]) throws(ArchiveFault) {
        var list = try BinaryPropertyList(bytes)
        let top = try Self.fields(of: try list.node(list.top), &list)
        guard let archiver = top["$archiver"], case .string("NSKeyedArchiver") = try list.node(archiver)
        else {
            throw ArchiveFault.damaged("its property list was not written by NSKeyedArchiver")
        }
        guard let version = top["$version"], case .integer(100_000) = try list.node(version) else {
            throw ArchiveFault.damaged("its version of NSKeyedArchiver is unknown")
        }
        guard let objects = top["$objects"], case .array(let numbers) = try list.node(objects),
            let roots = top["$top"]
        else { throw .truncated }
        guard let root = try Self.fields(of: try list.node(roots), &list)["root"] else {
            throw ArchiveFault.damaged("the object \"root\" is missing")
        }
        (self.list, self.objects, self.root) = (list, numbers, root)
    }

    /// What a field or a member of an array leads to.
    mutating func item(_ number: Int) throws(ArchiveFault) -> Item {
        var node = try list.node(number)
        if case .uid(let uid) = node {
            guard uid < objects.count else { throw .truncated }
            // The first object stands for nothing.
            if uid == 0 { return .null }
            node = try list.node(objects[uid])
            // Its text does so anywhere, for Foundation too.
            if case .string(Self.null) = node { return .null }
        }
        switch node {
        case .null: return .null
        case .uid: throw .truncated
        case .dictionary: return .object(try object(node))
        case .array: throw ArchiveFault.damaged("an array has no class")
        default: return .value(node)
        }
    }

    /// Whether a field or a member of an array refers to nothing.
    mutating func isNull(_ number: Int) throws(ArchiveFault) -> Bool {
        if case .null = try item(number) { true } else { false }
    }

    /// The members of an array or set, by number.
    mutating func members(_ number: Int) throws(ArchiveFault) -> [Int] {
        guard case .object(let object) = try item(number) else {
            throw ArchiveFault.damaged("a list is missing")
        }
        return try members(of: object)
    }

    mutating func members(of object: Object, _ field: String = "NS.objects") throws(ArchiveFault) -> [Int] {
        guard let place = object.fields[field], case .array(let numbers) = try list.node(place) else {
            throw ArchiveFault.missing(field, of: object)
        }
        return numbers
    }

    /// The text of a field, which may be a string of either kind.
    mutating func text(_ field: String, of object: Object) throws(ArchiveFault) -> String {
        guard
            let text = try object.fields[field].map({ (number) throws(ArchiveFault) in try text(number) })
                ?? nil
        else {
            throw ArchiveFault.missing(field, of: object)
        }
        return text
    }

    mutating func text(_ number: Int) throws(ArchiveFault) -> String? {
        switch try item(number) {
        case .value(.string(let text)): return text
        case .object(let object) where ["NSString", "NSMutableString"].contains(object.className):
            guard let place = object.fields["NS.string"], case .string(let text) = try list.node(place) else {
                return nil
            }
            return text
        default: return nil
        }
    }

    /// The number of a field; nil where there is none.
    mutating func integer(_ field: String, of object: Object) throws(ArchiveFault) -> Int? {
        guard let number = object.fields[field] else { return nil }
        switch try item(number) {
        case .value(.integer(let integer)): return Int(integer)
        case .value(.boolean(let flag)): return flag ? 1 : 0
        default:
            throw ArchiveFault.damaged("\(field) of \(object.className) is not a number")
        }
    }

    private mutating func object(_ node: BinaryPropertyList.Node) throws(ArchiveFault) -> Object {
        let fields = try Self.fields(of: node, &list)
        guard let place = fields["$class"], case .uid(let uid) = try list.node(place), uid < objects.count
        else {
            throw ArchiveFault.damaged("an object has no class")
        }
        let description = try Self.fields(of: try list.node(objects[uid]), &list)
        guard let name = description["$classname"], case .string(let className) = try list.node(name),
            className.utf8.count <= Self.nameLimit
        else { throw ArchiveFault.damaged("an object has no class") }
        return Object(className: className, fields: fields)
    }

    private static func fields(
        of node: BinaryPropertyList.Node, _ list: inout BinaryPropertyList
    ) throws(ArchiveFault) -> [String: Int] {
        guard case .dictionary(let keys, let values) = node else { throw .truncated }
        var fields: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = try list.node(key), name.utf8.count <= nameLimit,
                fields.updateValue(value, forKey: name) == nil
            else { throw .truncated }
        }
        return fields
    }
}
