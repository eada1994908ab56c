import Foundation

/// Cuts bytes that come in pieces into lines.
struct LineSplitter {
    private var rest: [UInt8] = []
    private var number = 0

    /// Hands over the lines that a piece completes.
    mutating func add(_ piece: [UInt8], _ body: (LineImport.Line) throws -> Void) throws {
        var bytes = piece[...]
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            rest += bytes[..<end]
            try hand(over: body)
            bytes = bytes[(end + 1)...]
        }
        rest += bytes
    }

    /// Hands over the last line where it did not end.
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
    /// UTF-8 without the mark that some programs put in front of it.
    var withoutByteOrderMark: [UInt8] { starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self }
}
