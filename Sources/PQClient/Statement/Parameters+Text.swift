internal import Foundation

extension Parameters {
    /// The value of each parameter in SQL's spelling, for people. Bytes are printed as their number.
    package var texts: [String] { types.indices.map(text) }

    private func text(_ index: Int) -> String {
        let start = offsets[index]
        let end = index + 1 < offsets.count ? offsets[index + 1] : writer.buffer.count
        return writer.buffer[start..<end].withUnsafeBytes { bytes in
            let length = Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))
            let content = (bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)).map { $0 + 4 }
            let cell = Cell(start: content?.assumingMemoryBound(to: UInt8.self), length: length)
            return Self.text(of: cell, types[index])
        }
    }

    private static func text(of cell: Cell, _ type: OID) -> String {
        if cell.isNull { return "NULL" }
        switch type {
        case .bool: return cell.bool ? "TRUE" : "FALSE"
        case .int2, .int4, .int8: return String(cell.int64)
        case .float4: return cell.float.description
        case .float8: return cell.double.description
        case .numeric: return cell.numericText
        case .text: return SQLLiteral.string(cell.string())
        case .jsonb: return SQLLiteral.string(cell.jsonb())
        case .uuid: return SQLLiteral.string(cell.uuid.uuidString)
        case .timestamptz: return SQLLiteral.string(cell.date.formatted(.iso8601))
        default: break
        }
        if let element = OID.element(of: type),
            let texts = try? cell.array({ text(of: $0, element) })
        {
            return "{" + texts.joined(separator: ", ") + "}"
        }
        return "(\(cell.bytes.count) bytes)"
    }
}
