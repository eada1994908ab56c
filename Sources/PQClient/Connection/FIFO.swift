/// A first-in, first-out queue in amortised constant time.
///
/// It is public because the compiler makes special versions of generic code for another module only of what is public.
@frozen public struct _FIFO<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    /// Creates an empty queue.
    @inlinable public init() {}

    /// The number of elements in the queue.
    @inlinable public var count: Int { elements.count - head }
    /// A Boolean value that indicates whether the queue has no elements.
    @inlinable public var isEmpty: Bool { head == elements.count }
    /// The element that leaves next.
    @inlinable public var first: Element? { isEmpty ? nil : elements[head] }

    /// Returns the first element that satisfies `predicate`, in the order of the queue.
    @inlinable public func first(where predicate: (Element) -> Bool) -> Element? {
        for case let element? in elements[head...] where predicate(element) { return element }
        return nil
    }

    /// Adds an element at the end.
    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element.
    @inlinable public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
