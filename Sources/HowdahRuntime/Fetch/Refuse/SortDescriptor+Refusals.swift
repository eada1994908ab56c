public import Foundation

/// The factories of ``SortKey``, refused with a message. They let the compiler name a misspelt property.
///
/// Without them, it would complain about Foundation's sort descriptors instead, which it considers too.
extension SortDescriptor where Compared: ManagedObject {
    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Value: AttributeValue>(_ attribute: KeyPath<Compared, Value>) -> Self {
        _Emitted.refused()
    }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Destination, Value: AttributeValue>(
        _ destination: KeyPath<Compared, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Compared, Composite>, _ member: KeyPath<Composite, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.ascending' where a SortKey is expected")
    public static func ascending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Compared, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Value: AttributeValue>(_ attribute: KeyPath<Compared, Value>) -> Self {
        _Emitted.refused()
    }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Destination, Value: AttributeValue>(
        _ destination: KeyPath<Compared, Destination?>, _ attribute: KeyPath<Destination, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<Composite: CompositeValue, Value: AttributeValue>(
        _ composite: KeyPath<Compared, Composite>, _ member: KeyPath<Composite, Value>
    ) -> Self { _Emitted.refused() }

    /// Refuses a factory of a ``SortKey``.
    @available(*, unavailable, message: "write '.descending' where a SortKey is expected")
    public static func descending<First, Second, Value: AttributeValue>(
        _ first: KeyPath<Compared, First?>, _ second: KeyPath<First, Second?>,
        _ attribute: KeyPath<Second, Value>
    ) -> Self { _Emitted.refused() }
}
