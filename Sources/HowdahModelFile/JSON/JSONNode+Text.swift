import HowdahModel

extension JSONNode {
    /// Models nest composite types, which nest little.
    private static let maximumDepth = 100

    /// Reads JSON with the lines that things are on, which decoders do not tell.
    ///
    /// - Throws: ``ModelFileError`` with `malformed` and the line, or `tooLarge` for a text that nests too deep.
    init(text: String) throws(ModelFileError) {
        let bytes = Array(text.utf8)
        do throws(JSONValueReader.Fault) {
            let (value, offsets) = try JSONValueReader.readWithOffsets(
                bytes, maximumDepth: Self.maximumDepth)
            var lines = Self.lines(of: offsets, in: bytes).makeIterator()
            self = Self.node(value, &lines)
        } catch {
            let line = 1 + bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") }
            throw error.isTooDeep
                ? ModelFileError(
                    .tooLarge,
                    "The JSON is nested deeper than \(Self.maximumDepth) levels. "
                        + "Restore the JSON file from version control, or export the model again.", line: line
                )
                : ModelFileError(
                    .malformed,
                    "The file is not valid JSON: "
                        + "\(error.word.map { "\"\($0)\" is not a value" } ?? error.message). Correct the "
                        + "JSON, or restore the model file from version control.",
                    line: line)
        }
    }

    /// The lines, from 1, of offsets that ascend.
    private static func lines(of offsets: [Int], in bytes: [UInt8]) -> [Int] {
        var (line, end) = (1, 0)
        return offsets.map { offset in
            line += bytes[end..<offset].count { $0 == UInt8(ascii: "\n") }
            end = offset
            return line
        }
    }

    /// A value with the lines of it and what is in it, which come in the order of the text.
    private static func node(_ value: JSONValue, _ lines: inout IndexingIterator<[Int]>) -> JSONNode {
        let line = lines.next() ?? 1
        let content: Content
        switch value {
        case .null: content = .null
        case .bool(let flag): content = .boolean(flag)
        case .number(let spelling): content = .number(spelling)
        case .string(let text): content = .string(text)
        case .array(let elements):
            var nodes: [JSONNode] = []
            for element in elements { nodes.append(node(element, &lines)) }
            content = .array(nodes)
        case .object(let members):
            var nodes: [Member] = []
            for member in members {
                let line = lines.next() ?? 1
                nodes.append(Member(key: member.name, line: line, value: node(member.value, &lines)))
            }
            content = .object(nodes)
        }
        return JSONNode(content: content, line: line)
    }
}
