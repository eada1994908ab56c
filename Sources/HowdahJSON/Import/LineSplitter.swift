import Foundation

/// Splits pieces of bytes into lines.
struct LineSplitter {
    private var rest: [UInt8] = []
    private var number = 0

    /// Passes the lines that a piece completes to `body`.
    mutating func add(_ piece: [UInt8], _ body: (LineImport.Line) throws -> Void) throws {
        var bytes = piece[...]
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            rest += bytes[..<end]
            try hand(over: body)
            bytes = bytes[(end + 1)...]
        }
        rest += bytes
    }

    /// Passes the last line to `body`, if it did not end.
    mutating func finish(_ body: (LineImport.Line) throws -> Void) throws {
        if !rest.isEmpty { try hand(over: body) }
    }

    private mutating func hand(over body: (LineImport.Line) throws -> Void) throws {
        number += 1
        let line = LineImport.Line(number: number, bytes: number == 1 ? rest.withoutByteOrderMark : rest)
        rest = []
        try body(line)
    }
}

extension [UInt8] {
    /// The bytes of UTF-8 without the byte order mark that some programs add.
    var withoutByteOrderMark: [UInt8] { starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self }
}
