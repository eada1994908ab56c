/// A message cut into the padded blocks of 64 bytes that SHA-256 and MD5 read.
struct MessageBlocks {
    private let message: UnsafeRawBufferPointer
    /// The end of the message, the bit 1, zeros, and the length in bits: one block or two.
    private let tail: [UInt8]

    init(_ message: UnsafeRawBufferPointer, isBigEndian: Bool) {
        self.message = message
        let rest = message.count % 64
        var tail = Array(message[(message.count - rest)...])
        tail.append(0x80)
        tail.append(contentsOf: repeatElement(0, count: (rest < 56 ? 56 : 120) - tail.count))
        let bits = UInt64(message.count) << 3
        let length = isBigEndian ? bits.bigEndian : bits.littleEndian
        withUnsafeBytes(of: length) { tail.append(contentsOf: $0) }
        self.tail = tail
    }

    /// Calls `body` with each block, in order.
    func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
        let whole = message.count / 64
        for block in 0..<whole {
            body(UnsafeRawBufferPointer(rebasing: message[block * 64..<block * 64 + 64]))
        }
        tail.withUnsafeBytes { tail in
            for start in stride(from: 0, to: tail.count, by: 64) {
                body(UnsafeRawBufferPointer(rebasing: tail[start..<start + 64]))
            }
        }
    }
}
