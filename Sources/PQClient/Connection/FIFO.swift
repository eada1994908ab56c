/// A first-in, first-out queue in amortised constant time.
@frozen package struct FIFO<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    /// Creates an empty queue.
    @inlinable package init() {}

    /// The number of elements in the queue.
    @inlinable package var count: Int { elements.count - head }
    /// A Boolean value that indicates whether the queue has no elements.
    @inlinable package var isEmpty: Bool { head == elements.count }
    /// The element that leaves next.
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    /// Returns the first element that satisfies `predicate`, in the order of the queue.
    package func first(where predicate: (Element) -> Bool) -> Element? {
        for case let element? in elements[head...] where predicate(element) { return element }
        return nil
    }

    /// Adds an element at the end.
    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the first element.
    @inlinable package mutating func popFirst() -> Element? {
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
