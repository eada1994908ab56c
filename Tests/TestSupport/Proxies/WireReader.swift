/// Reads messages from a socket; for one thread.
struct WireReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isFirst: Bool

    /// - Parameter isClient: a client's first message has no type.
    init(_ descriptor: Int32, isClient: Bool) { (self.descriptor, isFirst) = (descriptor, isClient) }

    /// The next message; nil at the end of the stream.
    mutating func next() -> WireMessage? {
        while true {
            if let message = take() { return message }
            guard let more = UnixStream.read(descriptor) else { return nil }
            buffer.removeFirst(start)
            start = 0
            buffer += more
        }
    }

    /// The bytes that came after the message taken last.
    var rest: ArraySlice<UInt8> { buffer[start...] }

    /// The client sends another first message after the last was answered: it asked whether TLS is to be had.
    mutating func expectFirstAgain() { isFirst = true }

    private mutating func take() -> WireMessage? {
        let prefix = isFirst ? 0 : 1
        let left = buffer[start...]
        guard left.count >= prefix + 4 else { return nil }
        let length = prefix + WireMessage.integer(left.dropFirst(prefix))
        guard left.count >= length else { return nil }
        defer {
            start += length
            isFirst = false
        }
        return WireMessage(bytes: Array(left.prefix(length)), isFirst: isFirst)
    }
}
