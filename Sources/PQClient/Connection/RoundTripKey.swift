/// The operation, the table and the kind of a round trip in one word.
///
/// Round trips are tallied and compared by it without counting references. It does not retain the table. The tally
/// does so, and code that keeps a key longer must also keep its ``table``.
package struct RoundTripKey: Equatable, Sendable {
    /// The lowest bit distinguishes batches, four bits are the operation, and the others are the table's address.
    package let bits: UInt

    /// Objects are aligned to 16 bytes, so the five lower bits of twice their address are free. The highest bit of
    /// an address is never set in a program's memory.
    private static let mask: UInt = 0b1_1111
    /// The key of a statement whose table observers must not keep. No address is as high.
    private static let withoutTable = RoundTripKey(bits: .max)
    private static let noOperation: UInt8 = 15
    /// The key of a statement without a subject that wrote rows and returned none. No operation has its number.
    static let ownWriting = RoundTripKey(bits: 14 << 1)

    private init(bits: UInt) { self.bits = bits }

    @inline(__always)
    init(_ operation: StatementSubject.Operation?, _ table: StatementTable?, isBatch: Bool = false) {
        let place = table.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
        let kind = operation?.rawValue ?? Self.noOperation
        bits = place << 1 | UInt(truncatingIfNeeded: kind) << 1 | (isBatch ? 1 : 0)
    }

    /// Joins the subjects of statements.
    init(_ subject: RoundTripSubject) {
        self.init(subject.operation, subject.table, isBatch: subject.statementCount > 1)
    }

    private var operation: StatementSubject.Operation? {
        StatementSubject.Operation(rawValue: UInt8(truncatingIfNeeded: bits >> 1) & Self.noOperation)
    }

    /// The name of the operation, as ``RoundTripSubject/name``.
    package var name: String? { RoundTripSubject.name(of: operation, isBatch: bits & 1 == 1) }

    /// A Boolean value that indicates whether a statement without a subject wrote the rows and returned none.
    package var isOwnWriting: Bool { self == .ownWriting }

    /// The table; nil if there is none, or several.
    package var table: StatementTable? { place?.takeUnretainedValue() }

    @inline(__always)
    private var place: Unmanaged<StatementTable>? {
        UnsafeRawPointer(bitPattern: (bits & ~Self.mask) >> 1).map { Unmanaged.fromOpaque($0) }
    }

    @inline(__always)
    var hasTable: Bool { bits & ~Self.mask != 0 }

    /// Returns a Boolean value that indicates whether two keys have the same table, or none.
    @inline(__always)
    func hasSameTable(as other: RoundTripKey) -> Bool { (bits ^ other.bits) & ~Self.mask == 0 }

    /// Returns an index for the table among a number of places, which is a power of two.
    @inline(__always)
    func place(of places: Int) -> Int { Int(truncatingIfNeeded: bits >> 5 ^ bits >> 9) & (places - 1) }

    @inline(__always)
    func retainTable() { _ = place?.retain() }

    func releaseTable() { place?.release() }
}

extension RoundTripKey {
    /// Creates the key of a round trip with one statement, which observers receive only if they may keep the table.
    init(ofOne operation: StatementSubject.Operation, _ table: StatementTable?) {
        self = table?.isKept ?? true ? RoundTripKey(operation, table) : .withoutTable
    }

    /// A Boolean value that indicates whether observers may keep the table.
    @inline(__always)
    var isTallied: Bool { self != .withoutTable }
}
