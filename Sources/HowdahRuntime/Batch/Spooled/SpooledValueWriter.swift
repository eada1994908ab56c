import Foundation
import HowdahModel

/// Writes values as bytes, from which ``SpooledValueReader`` reads the same values, in the same process.
struct SpooledValueWriter {
    /// The first byte of each value.
    enum Tag: UInt8 {
        case null, no, yes, int, double, float, decimal, string, date, data, uuid, uri, composite, array,
            reference
    }

    var bytes: [UInt8] = []

    /// Writes a Boolean for each element, eight in a byte.
    mutating func flags(_ flags: [Bool]) {
        for start in stride(from: 0, to: flags.count, by: 8) {
            var byte: UInt8 = 0
            for place in start..<min(start + 8, flags.count) where flags[place] {
                byte |= 1 << (place - start)
            }
            bytes.append(byte)
        }
    }

    /// Writes a value.
    mutating func value(_ value: Value) {
        switch value {
        case .null: tag(.null)
        case .bool(let flag): tag(flag ? .yes : .no)
        case .int(let number):
            tag(.int)
            plain(number)
        case .double(let number):
            tag(.double)
            plain(number.bitPattern)
        case .float(let number):
            tag(.float)
            plain(number.bitPattern)
        case .decimal(let number):
            tag(.decimal)
            withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
        case .string(let text):
            tag(.string)
            string(text)
        case .date(let date):
            tag(.date)
            plain(date.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let data):
            tag(.data)
            plain(data.count)
            bytes.append(contentsOf: data)
        case .uuid(let uuid):
            tag(.uuid)
            withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
        case .uri(let url):
            tag(.uri)
            string(url.absoluteString)
        case .composite(let elements):
            tag(.composite)
            list(elements)
        case .array(let elements):
            tag(.array)
            list(elements)
        case .reference(let reference):
            tag(.reference)
            plain(reference.key)
            string(reference.entity)
        }
    }

    /// Writes the output of `body` after its length.
    mutating func sized(_ body: (inout SpooledValueWriter) throws -> Void) rethrows {
        let start = bytes.count
        plain(0)
        do {
            try body(&self)
        } catch {
            bytes.removeLast(bytes.count - start)
            throw error
        }
        let count = bytes.count - start - MemoryLayout<Int>.size
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: count, toByteOffset: start, as: Int.self) }
    }

    private mutating func tag(_ tag: Tag) { bytes.append(tag.rawValue) }

    private mutating func plain<I: FixedWidthInteger>(_ number: I) {
        withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    }

    private mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            plain(utf8.count)
            bytes.append(contentsOf: utf8)
        }
    }

    private mutating func list(_ elements: [Value]) {
        plain(elements.count)
        for element in elements { value(element) }
    }
}
