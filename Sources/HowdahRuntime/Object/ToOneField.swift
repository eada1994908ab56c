/// A to-one property's storage: the destination's key, and the destination itself once it was asked for.
public struct ToOneField {
    /// The key that the destination had when it was set or read.
    private let givenKey: Int64
    /// The key of the destination's row; provisional for a new destination until it is saved.
    var key: Int64 { destination?.object?.key ?? givenKey }
    /// The place of the destination's entity; negative values say that there is none, or that nobody looked.
    var entity: Int32
    private var destination: Destination?

    /// The destination; a strong reference, released when the context ends.
    var object: ManagedObject? {
        get { destination?.object }
        set { destination = newValue?.asDestination }
    }

    init(key: Int64, entity: Int32, object: ManagedObject?) {
        givenKey = key
        self.entity = entity
        destination = object?.asDestination
    }

    /// An object as a destination.
    init(_ destination: ManagedObject) {
        self.init(key: destination.key, entity: Int32(destination.layout.index), object: destination)
    }

    /// No destination; what a new object has.
    public init() { self = .none }

    static var none: ToOneField { ToOneField(key: 0, entity: -1, object: nil) }
    /// The key is in the destination's table and was not read yet.
    static var unknown: ToOneField { ToOneField(key: 0, entity: -2, object: nil) }

    package var isNone: Bool { entity == -1 }
    var isUnknown: Bool { entity == -2 }
}

/// A strong reference to an object, which all to-ones that lead to it share. When the last of them goes, the object is
/// released without recursion.
final class Destination {
    private(set) var object: ManagedObject?

    fileprivate init(_ object: ManagedObject) { self.object = object }

    deinit {
        object?.reference = nil
        Remains.release(&object)
    }
}

extension ManagedObject {
    fileprivate final var asDestination: Destination {
        if let reference { return reference }
        let new = Destination(self)
        reference = new
        return new
    }
}
