/// A first-in, first-out queue in amortised constant time.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// How many elements wait.
    var count: Int { elements.count - head }
    /// Whether none waits.
    var isEmpty: Bool { head == elements.count }
    /// The element that leaves next.
    var first: Element? { isEmpty ? nil : elements[head] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
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
