/// A digest of bytes for names: equal bytes have equal digests, and other bytes practically never.
///
/// It has 128 bits, which do not protect against an attacker who chooses the bytes.
///
/// Source: the FNV-1a hash of RFC 9923.
struct NameDigest {
    private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state ^= UInt128(byte)
            state &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
    }

    /// The digest in at most 25 digits and small letters.
    var text: String { String(state, radix: 36) }
}
