import Foundation

/// The bytes of a token: one token has one form.
///
/// They are the mark of the store, the incarnation, the era, the snapshot, and in a token inside a window its
/// end, number and part. Numbers are unsigned LEB128.
enum HistoryTokenBytes {
    static func encoded(_ token: HistoryToken) -> [UInt8] {
        var bytes = withUnsafeBytes(of: token.store.bigEndian) { Array($0) }
        bytes += withUnsafeBytes(of: token.incarnation.uuid) { Array($0) }
        append(UInt64(token.era.timeline), to: &bytes)
        append(UInt64(bitPattern: token.era.start), to: &bytes)
        append(token.snapshot, to: &bytes)
        if let page = token.page {
            append(page.end, to: &bytes)
            append(UInt64(bitPattern: page.number), to: &bytes)
            append(UInt64(UInt32(bitPattern: page.part)), to: &bytes)
        }
        return bytes
    }

    static func decoded(_ bytes: [UInt8]) -> HistoryToken? {
        guard bytes.count > 20 else { return nil }
        let (store, incarnation) = bytes.withUnsafeBytes { buffer in
            (
                UInt32(bigEndian: buffer.loadUnaligned(as: UInt32.self)),
                UUID(uuid: buffer.loadUnaligned(fromByteOffset: 4, as: uuid_t.self))
            )
        }
        var rest = bytes.dropFirst(20)
        guard let timeline = number(&rest).flatMap(UInt32.init(exactly:)), let start = number(&rest),
            let snapshot = snapshot(&rest)
        else { return nil }
        let era = HistoryEra(timeline: timeline, start: Int64(bitPattern: start))
        guard !rest.isEmpty else {
            return HistoryToken(store: store, incarnation: incarnation, era: era, snapshot: snapshot)
        }
        // A token is text that anybody may have altered. The number has a next one.
        guard let end = self.snapshot(&rest), let bits = self.number(&rest),
            let part = self.number(&rest).flatMap(Int32.init(exactly:)), rest.isEmpty
        else { return nil }
        let number = Int64(bitPattern: bits)
        guard number >= -1, number < .max else { return nil }
        return HistoryToken(
            store: store, incarnation: incarnation, era: era, snapshot: snapshot,
            page: HistoryToken.Page(end: end, number: number, part: part))
    }

    /// Writes the limit, the number of transactions in progress, and their distances from above.
    private static func append(_ snapshot: StoreSnapshot, to bytes: inout [UInt8]) {
        append(snapshot.xmax, to: &bytes)
        append(UInt64(snapshot.inProgress.count), to: &bytes)
        var last = snapshot.xmax
        for id in snapshot.inProgress.reversed() {
            append(last - id, to: &bytes)
            last = id
        }
    }

    private static func snapshot(_ rest: inout ArraySlice<UInt8>) -> StoreSnapshot? {
        // Each transaction in progress has at least one byte, which bounds the count.
        // The server reads no greater ids, and none without lower bits.
        guard let xmax = number(&rest), xmax < 1 << 63, UInt32(truncatingIfNeeded: xmax) != 0,
            let count = number(&rest),
            count <= UInt64(rest.count)
        else { return nil }
        var (ids, last): ([UInt64], UInt64) = ([], xmax)
        for _ in 0..<count {
            guard let distance = number(&rest), distance > 0, distance < last else { return nil }
            last -= distance
            if UInt32(truncatingIfNeeded: last) == 0 { return nil }
            ids.append(last)
        }
        return StoreSnapshot(xmax: xmax, inProgress: ids.reversed())
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var number = number
        while number >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        bytes.append(UInt8(number))
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst() {
            let bits = UInt64(byte & 0x7f)
            guard shift < 64, (bits << shift) >> shift == bits else { return nil }
            number |= bits << shift
            if byte < 0x80 {
                // A last byte of zero would be a second spelling.
                return byte == 0 && shift > 0 ? nil : number
            }
            shift += 7
        }
        return nil
    }
}
