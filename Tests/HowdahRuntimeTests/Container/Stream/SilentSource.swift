/// Brings some elements, and then nothing until its pause is over.
struct SilentSource<Element: Sendable>: AsyncSequence, Sendable {
    let elements: [Element]
    let pause: Pause

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Element>
        let pause: Pause

        mutating func next() async -> Element? {
            if let element = rest.popFirst() { return element }
            await pause.wait()
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...], pause: pause) }
}
