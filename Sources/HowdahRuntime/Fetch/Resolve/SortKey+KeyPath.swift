public import HowdahModel

/// Sort keys from key paths. For paths of more than two relationships, use names.
extension SortKey where Object: ManagedObject {
    /// Sorts by an attribute, smallest first.
    public static func ascending<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>
    ) -> SortKey { SortKey([attribute], true) }

    /// Sorts by an attribute, greatest first.
    public static func descending<Value: AttributeValue>(
        _ attribute: KeyPath<Object, Value>
    ) -> SortKey { SortKey([attribute], false) }

    /// Sorts by an attribute of a to-one destination or optional composite, smallest first.
    public static func ascending<Destination, Value: AttributeValue>(
        _ destination: KeyPath<Object, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> SortKey { SortKey([destination, attribute], true) }

    /// Sorts by an attribute of a to-one destination or optional composite, greatest first.
    public static func descending<Destination, Value: AttributeValue>(
        _ destination: KeyPath<Object, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> SortKey { SortKey([destination, attribute], false) }

    /// Sorts by an element of a composite, smallest first.
    public static func ascending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Object, Composite>, _ member: KeyPath<Composite, Value>
    ) -> SortKey { SortKey([composite, member], true) }

    /// Sorts by an element of a composite, greatest first.
    public static func descending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Object, Composite>, _ member: KeyPath<Composite, Value>
    ) -> SortKey { SortKey([composite, member], false) }

    /// Sorts by an attribute two to-one destinations or optional composites away, smallest first.
    public static func ascending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Object, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> SortKey { SortKey([first, second, attribute], true) }

    /// Sorts by an attribute two to-one destinations or optional composites away, greatest first.
    public static func descending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Object, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> SortKey { SortKey([first, second, attribute], false) }

    private init(_ keyPaths: [AnyKeyPath], _ isAscending: Bool) {
        var names: [String] = []
        for keyPath in keyPaths {
            guard let name = PropertyNames.name(of: keyPath) else {
                self.init(complaint: PropertyNames.complaint(about: keyPath), ascending: isAscending)
                return
            }
            names.append(name)
        }
        self.init(keyPath: names.joined(separator: "."), ascending: isAscending)
    }
}
