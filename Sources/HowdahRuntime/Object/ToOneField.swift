/// A to-one property's storage: the destination's key, and after the first access the destination itself.
public struct _ToOneField {
    /// The key that the destination had when it was set or read.
    private let givenKey: Int64
    /// The key of the destination's row; temporary for a new destination until it is saved.
    var key: Int64 { destination?.object?.key ?? givenKey }
    /// The position of the destination's entity; negative if there is none, or if it is unknown.
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

    /// Creates a field with an object as its destination.
    init(_ destination: ManagedObject) {
        self.init(key: destination.key, entity: Int32(destination.layout.index), object: destination)
    }

    /// Creates a field without a destination, as of a new object.
    public init() { self = .none }

    static var none: _ToOneField { _ToOneField(key: 0, entity: -1, object: nil) }
    /// The key is in the destination's table and was not read yet.
    static var unknown: _ToOneField { _ToOneField(key: 0, entity: -2, object: nil) }

    package var isNone: Bool { entity == -1 }
    var isUnknown: Bool { entity == -2 }
}

/// A strong reference to an object, which all to-ones to it share.
///
/// When the last of them is released, the object is released without recursion.
final class Destination {
    private(set) var object: ManagedObject?

    fileprivate init(_ object: ManagedObject) { self.object = object }

    deinit {
        object?.reference = nil
        DeferredReleases.release(&object)
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
