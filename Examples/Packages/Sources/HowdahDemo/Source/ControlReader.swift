import Foundation

/// Cuts a control file into stanzas while it is being read; holds one chunk of it at a time.
///
/// Source: Debian Policy Manual, section 5.1.
final class ControlReader {
    private let fields: Set<String>
    private let nextChunk: () throws -> Data?
    private var chunk: [UInt8] = []
    private var position = 0
    private var stanza: [String: String] = [:]
    private var field: String?

    /// Reads the chunks that `nextChunk` returns until it returns nil, and keeps only these fields.
    init(fields: Set<String>, nextChunk: @escaping () throws -> Data?) {
        self.fields = fields
        self.nextChunk = nextChunk
    }

    /// The fields of the next stanza, each without its continuation lines where these are prose.
    func next() throws -> [String: String]? {
        stanza = [:]
        field = nil
        while let line = try nextLine() {
            if line.isEmpty {
                if !stanza.isEmpty { return stanza }
            } else {
                take(line)
            }
        }
        return stanza.isEmpty ? nil : stanza
    }

    private func take(_ line: ArraySlice<UInt8>) {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            if let field, field != "Description" {
                stanza[field]?.append(String(decoding: line, as: UTF8.self))
            }
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        field = fields.contains(name) ? name : nil
        guard let field else { return }
        let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
        stanza[field] = String(decoding: value, as: UTF8.self)
    }

    private func nextLine() throws -> ArraySlice<UInt8>? {
        while true {
            if let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return chunk[position..<end]
            }
            chunk.removeFirst(position)
            position = 0
            guard let more = try nextChunk(), !more.isEmpty else {
                defer { chunk = [] }
                return chunk.isEmpty ? nil : chunk[...]
            }
            chunk.append(contentsOf: more)
        }
    }
}
