import Foundation

/// The packages of a source, one batch after the other; memory stays the same however many there are.
final class PackageStream {
    private static let chunkSize = 1 << 18

    private let reader: ControlReader
    private let file: FileHandle?
    private let process: Process?

    /// Reads a file, or what a running process prints.
    init(_ file: FileHandle, process: Process? = nil) {
        self.file = file
        self.process = process
        reader = ControlReader(fields: PackageRecord.fields) { try file.read(upToCount: Self.chunkSize) }
    }

    /// Reads a text that is in memory already.
    init(text: String) {
        file = nil
        process = nil
        var rest: Data? = Data(text.utf8)
        reader = ControlReader(fields: PackageRecord.fields) {
            defer { rest = nil }
            return rest
        }
    }

    /// At most `count` packages; none at the end.
    func next(_ count: Int) throws -> [PackageRecord] {
        var records: [PackageRecord] = []
        records.reserveCapacity(count)
        while records.count < count, let stanza = try reader.next() {
            if let record = PackageRecord(stanza) { records.append(record) }
        }
        return records
    }

    /// Stops reading, and the process that is being read.
    func close() {
        try? file?.close()
        if let process, process.isRunning { process.terminate() }
        process?.waitUntilExit()
    }
}
