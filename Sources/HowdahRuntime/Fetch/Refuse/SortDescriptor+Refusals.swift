public import Foundation

/// The factories of ``SortKey``, so that a misspelt property in one is what the compiler complains about: it considers
/// Foundation's sort descriptors too, because they are refused with a message.
extension SortDescriptor where Compared: ManagedObject {
    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Value: AttributeValue>(_ attribute: KeyPath<Compared, Value>) -> Self {
        _Emitted.refused()
    }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Hop, Value: AttributeValue>(
        _ hop: KeyPath<Compared, Hop?>, _ attribute: KeyPath<Hop, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Compared, Composite>, _ member: KeyPath<Composite, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Compared, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Value: AttributeValue>(_ attribute: KeyPath<Compared, Value>) -> Self {
        _Emitted.refused()
    }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Hop, Value: AttributeValue>(
        _ hop: KeyPath<Compared, Hop?>, _ attribute: KeyPath<Hop, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Compared, Composite>, _ member: KeyPath<Composite, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses what is meant for a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Compared, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> Self { _Emitted.refused() }
}
